"""The figure of docs/ARCHITECTURE.md: python3 docs/figures/architecture.py"""
from svg import *

s = Sheet(960, 700, "A frame's way from a file to the panorama")


def floor(y, height, name, note, fill):
    s.rect(16, y, 928, height, fill, "#d1d9e0", 1, 6)
    s.text(28, y + 20, name, 13, INK, bold=True)
    s.text(932, y + 20, note, 12, GREY, "end")


# ------------------------------------------------------------------ who asks
floor(16, 84, "who asks", "", PALE)
for x, words in ((40, "ImageJ, Fiji\nplugin/"), (240, "shell\ncli/"), (440, "macro\nplugin/, cli/"),
                 (734, "C, Python, a pipe\nendorama/mosaic.h")):
    s.box(x, 44, 170, 46, words, "#ffffff", size=12)

# ------------------------------------------------------------------ Java
floor(124, 84, "Java", "", PALE_ORANGE)
s.text(550, 144, "shows, reads, asks and writes", 12, GREY)
s.box(40, 152, 240, 46, "frames of stacks, files, videos\ncore/frames", "#ffffff", size=12)
s.box(300, 152, 230, 46, "MosaicSession: one handle\ncore/mosaic", "#ffffff", size=12)
s.box(550, 152, 230, 46, "NativeMosaic, Handle\njni/", "#ffffff", size=12)
s.arrow([(125, 90), (125, 152)])
s.arrow([(325, 90), (400, 152)])
s.arrow([(525, 90), (490, 152)])
s.arrow([(280, 175), (300, 175)])
s.arrow([(530, 175), (550, 175)])

# ------------------------------------------------------------------ the border
floor(232, 64, "api/", "arguments are checked, handles are owned, the back end is chosen", PALE_VIOLET)
s.text(40, 282, "endo_mosaic_create   ·   _run (or _put, _finish)   ·   _read   ·   _destroy", 12.5, INK, mono=True)
s.arrow([(660, 198), (660, 232)])
s.text(648, 223, "native/jni: lends frames, no logic", 12, GREY, "end")
s.arrow([(40, 232), (40, 198)], BLUE)
s.text(50, 223, "back: events, progress, records, tiles of the panorama", 12, BLUE)
s.arrow([(870, 90), (870, 232)])

# ------------------------------------------------------------------ systems
floor(320, 168, "systems/mosaic", "on any back end", PALE_GREEN)
s.arrow([(480, 296), (480, 320)])
stages = (
    (40, "1  register", "frames  →  edges", "chain_stage.c"),
    (348, "2  solve", "edges  →  poses, deviations", "loop_stage.c, poses_solve.c"),
    (656, "3  paint", "frames, poses  →  panorama", "paint_stage.c, blend_stage.c"))
for x, name, what, file in stages:
    s.rect(x, 350, 264, 76, "#ffffff", LINE, 1, 5)
    s.text(x + 132, 371, name, 14, GREEN, "middle", bold=True)
    s.text(x + 132, 392, what, 13, INK, "middle")
    s.text(x + 132, 413, file, 12, GREY, "middle", mono=True)
s.arrow([(304, 388), (348, 388)], GREEN, 2)
s.arrow([(612, 388), (656, 388)], GREEN, 2)
s.text(326, 378, "edges", 11, GREY, "middle")
s.text(634, 378, "poses", 11, GREY, "middle")
s.box(40, 440, 880, 36,
        "workspace: frame_store (frames in slots), canvases, observers (light, sharpness), what becomes of a failure",
      "#ffffff", size=12.5)

# ------------------------------------------------------------------ areas
floor(512, 62, "systems/<area>", "one method each", PALE_GREEN)
s.text(40, 560, "   ".join(("pairs", "graph", "light", "field", "pattern", "blend", "lens", "fourier", "exposures", "mutual",
                           "equalization", "frames", "demo")), 13)
s.arrow([(480, 488), (480, 512)])

# ------------------------------------------------------------------ back ends
floor(598, 86, "backend/", "one table of operations an area: kernels.h, batches.h", PALE_BLUE)
s.arrow([(480, 574), (480, 598)])
for x, width, words in ((40, 210, "cpu/   C, AVX2, AVX-512"), (266, 200, "cuda/   NVIDIA GPUs"),
                        (482, 210, "multi/   several devices"),
                        (708, 212, "ref/   the definition, for tests")):
    s.box(x, 628, width, 28, words, "#ffffff", size=12)
s.text(480, 675,
       "rules/: arithmetic that is the same everywhere      base/: memory, threads, transforms      "
       "include/: the public headers",
       12, GREY, "middle")
s.save("architecture.svg")
