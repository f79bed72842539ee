"""The figures of docs/algorithms/panorama.md: python3 docs/figures/panorama.py"""
from svg import *


def frame(s, x, y, fill, stroke, turn=0.0, size=15.0, thick=1.5, dash=""):
    points = []
    for dx, dy in ((-1, -0.8), (1, -0.8), (1, 0.8), (-1, 0.8)):
        a = math.radians(turn)
        points.append((x + size * (dx * math.cos(a) - dy * math.sin(a)),
                y + size * (dx * math.sin(a) + dy * math.cos(a))))
    s.line(points, stroke, thick, dash, fill, True)


def chains():
    s = Sheet(860, 336, "Frames of a sequence: a chain, an outlier candidate, a lost scope, the relocaliser, a loop")
    path = [(60 + 40 * i, 124 - 44 * math.sin(i * 0.45)) for i in range(10)]
    lost = [(484, 176), (532, 188), (580, 192)]
    back = [(664, 124), (710, 156), (730, 202), (706, 244), (650, 264), (586, 268), (516, 270), (446, 266),
            (376, 258), (306, 240),
            (244, 212)]
    keys = {0, 4, 8}
    outlier = 6
    good = [p for i, p in enumerate(path) if i != outlier]
    for a, b in zip(good, good[1:]):
        s.line([a, b], BLUE, 2)
    s.line([path[outlier - 1], (path[outlier][0], path[outlier][1] - 0)], RED, 1.4, "4 3")
    for a, b in zip(back, back[1:]):
        s.line([a, b], BLUE, 2)
    for i, (x, y) in enumerate(path):
        if i == outlier:
            frame(s, x, y, PALE_RED, RED, 14)
        elif i in keys:
            frame(s, x, y, PALE_BLUE, BLUE, 0, 16, 2.6)
        else:
            frame(s, x, y, "#ffffff", BLUE)
    for x, y in lost:
        frame(s, x, y, "#f6f8fa", GREY, 0, 15, 1.4, "4 3")
    for i, (x, y) in enumerate(back):
        if i in (0, 5, 9):
            frame(s, x, y, PALE_BLUE, BLUE, 0, 16, 2.6)
        else:
            frame(s, x, y, "#ffffff", BLUE)
    s.arrow([(646, 118), (398, 138)], VIOLET, 2, "6 4")
    s.text(536, 112, "relocaliser", 12.5, VIOLET, "middle", bold=True)
    s.arrow([(242, 198), (224, 98)], GREEN, 2.6)
    s.text(246, 160, "loop", 13, GREEN, bold=True)
    s.text(60, 164, "key frame", 12, BLUE, "middle", bold=True)
    s.text(path[outlier][0] + 18, path[outlier][1] - 12, "outlier candidate", 12, RED)
    s.text(532, 224, "lost: tried against the last good one", 12, GREY, "middle")
    s.text(690, 118, "a new chain", 12, INK)
    s.text(30, 318,
           "line: registered with the frame before       thick: key frame       "
           "red: the next frames decide that it is left out", 12, GREY)
    s.save("algorithms/panorama-chains.svg")


def tilt():
    s = Sheet(860, 300,
            "A scope that passes a tilted plane: the footprints of its frames, and the same chained without perspective")
    s.text(150, 30, "from the side", 13, INK, "middle", bold=True)
    s.line([(30, 236), (280, 176)], "#b4503e", 4)
    s.text(270, 206, "plane", 12, "#b4503e", "end")
    for k, x in enumerate((80, 150, 220)):
        s.rect(x - 8, 56, 16, 26, "#57606a", "none", 1, 3)
        low = lambda t: 236 - (t - 30) * 60 / 250
        s.line([(x, 82), (x - 34, low(x - 34))], BLUE, 1.2)
        s.line([(x, 82), (x + 34, low(x + 34))], BLUE, 1.2)
    s.arrow([(90, 48), (212, 48)], GREY, 1.3)

    s.text(430, 30, "true: perspective in each frame", 13, INK, "middle", bold=True)
    x = 320.0
    half = 47.0
    for k in range(5):
        next_half = half * 0.9
        s.line([(x, 140 - half), (x + 74 * half / 47, 140 - next_half * 0.98), (x + 74 * half / 47,
                140 + next_half * 0.98), (x, 140 + half)],
               GREEN, 1.8, "", PALE_GREEN if k == 0 else "none", True)
        x += 37 * half / 47
        half *= 0.95
    s.text(430, 216, "nearer to the scope the frame shows less", 12, GREY, "middle")

    s.text(715, 30, "chained by affine maps", 13, INK, "middle", bold=True)
    x, y, half, shear = 600.0, 140.0, 47.0, 0.0
    for k in range(5):
        w = 74 * half / 47
        s.line([(x, y - half), (x + w, y - half + shear * w), (x + w, y + half + shear * w), (x, y + half)],
               RED, 1.8, "", PALE_RED if k == 0 else "none", True)
        x += 0.5 * w
        y += shear * w * 0.5 + 1.5
        half *= 0.972
        shear += 0.035
    s.text(715, 216, "each pair fits; small errors to the same\nside add up, and no loop shows them", 12, GREY,
            "middle")
    s.text(430, 276, "the pairs' own g, product by product: errors of noise do not repeat, a tilt does", 12.5,
            INK, "middle")
    s.save("algorithms/panorama-tilt.svg")


chains()
tilt()
