"""The figure of docs/algorithms/mutual.md: python3 docs/figures/mutual.py"""
import random

from svg import *

s = Sheet(860, 560, "Two modalities, their joint histogram, and the search through the levels")


def head(cx, cy, colours, dx=0.0, dy=0.0):
    s.rect(cx - 66, cy - 56, 132, 112, colours[0])
    s.circle(cx + dx, cy + dy, 46, colours[1])
    s.circle(cx + dx, cy + dy, 38, colours[2])
    s.circle(cx + dx - 12, cy + dy - 6, 12, colours[3])
    s.circle(cx + dx + 14, cy + dy + 8, 9, colours[4])


s.text(90, 32, "fixed", 13, INK, "middle", bold=True)
head(90, 102, ("#0d1117", "#e6edf3", "#8c959f", "#30363d", "#c9d1d9"))
s.text(250, 32, "moving", 13, INK, "middle", bold=True)
head(250, 102, ("#0d1117", "#24292f", "#d0d7de", "#f6f8fa", "#57606a"), 9, 6)
s.text(170, 186, "grey values differ, but one tells of the other", 12, GREY, "middle")

random.seed(2)
CENTRES = ((0.04, 0.04, 300), (0.9, 0.16, 60), (0.55, 0.82, 160), (0.2, 0.95, 36), (0.78, 0.36, 30))
for k, (x, name, blur) in enumerate(((372, "joint histogram: out of place", 0.24), (630, "in place", 0.03))):
    side = 168
    s.text(x + side / 2, 32, name, 13, INK, "middle", bold=True)
    s.rect(x, 46, side, side, "#f6f8fa", LINE)
    bins = {}
    for cx, cy, n in CENTRES:
        for _ in range(n * 4):
            if k == 0 and random.random() < 0.45:
                other = random.choice(CENTRES)
                u, v = cx, other[1]
            else:
                u, v = cx, cy
            u += random.gauss(0, 0.025)
            v += random.gauss(0, 0.03)
            i, j = int(max(0, min(27, u * 28))), int(max(0, min(27, v * 28)))
            bins[(i, j)] = bins.get((i, j), 0) + 1
    for (i, j), count in sorted(bins.items()):
        shade = min(1.0, 0.25 + math.log(1 + count) / 6)
        s.rect(x + i * 6, 46 + side - 6 - j * 6, 6, 6, "#%02x%02x%02x" % (int(235 - 226 * shade),
                int(240 - 135 * shade), int(250 - 32 * shade)))
    words = ("spread: little information", "few bins: much information")[k]
    s.text(x + side / 2, 232, words, 12, (RED, GREEN)[k], "middle")
    s.text(x + side / 2, 248, "fixed →", 11, GREY, "middle")
    s.text(x - 8, 46 + side, "moving →", 11, GREY, turn=-90)

# ------------------------------------------------------------------ search
top = 300
s.line([(24, 270), (836, 270)], "#d1d9e0", 1)
names = ("starts at the coarsest level", "restarts around the best", "refined level by level")
for k, name in enumerate(names):
    s.text(150 + k * 280, top, name, 13, INK, "middle", bold=True)


def measure(x, sharp):
    peaks = ((1.0, 0.22, 0.16), (0.5, -0.5, 0.12), (0.3, 0.75, 0.1))
    return sum(h * math.exp(-((x - at) / wide) ** 2) for h, at, wide in peaks) + 0.03 * math.sin(40 * x) * sharp


for k in range(3):
    ox, oy = 34 + k * 280, 480
    sharp = (0.35, 0.35, 1.0)[k]
    span = (1.0, 1.0, 0.45)[k]
    middle = (0.0, 0.0, 0.22)[k]
    to = lambda x, v: (ox + 116 + 112 * (x - middle) / span, oy - 118 * v)
    s.line([(ox, oy), (ox + 232, oy)], LINE, 1)
    s.curve(lambda x: measure(x, sharp), middle - span, middle + span, to, BLUE, 1.8)
    if k == 0:
        for i in range(9):
            x = -0.96 + i * 0.24
            s.circle(*to(x, measure(x, sharp)), 4.5, GREEN if i == 5 else "#ffffff", GREEN, 1.8)
    elif k == 1:
        best = 0.215
        for d in (-0.2, -0.13, 0.13, 0.2):
            x = best + d
            s.circle(*to(x, measure(x, sharp)), 4.5, "#ffffff", ORANGE, 1.8)
            a, b = to(x, measure(x, sharp)), to(best + d * 0.35, measure(best + d * 0.35, sharp))
            s.arrow([a, b], ORANGE, 1.5, head=6)
        s.circle(*to(best, measure(best, sharp)), 5, GREEN)
    else:
        for d in (-0.22, -0.1, -0.03):
            x = 0.235 + d
            s.circle(*to(x, measure(x, sharp)), 4.5, "#ffffff", GREEN, 1.8)
        s.circle(*to(0.235, measure(0.235, sharp)), 5, GREEN)
notes = ("rotations 12° apart, shifts a quarter\nof the radius; the best go on",
         "seven searches from elsewhere: the share\nthat comes back is the agreement",
         "half the voxel size a level, of the voxels\nthat lie well inside the moving volume")
for k, note in enumerate(notes):
    s.text(150 + k * 280, 508, note, 12, GREY, "middle")
s.save("algorithms/mutual-search.svg")
