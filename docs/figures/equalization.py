"""The figure of docs/algorithms/equalization.md: python3 docs/figures/equalization.py"""
import random

from svg import *

s = Sheet(860, 300, "A window around a pixel, its histogram, the mapping without and with a contrast limit")
random.seed(5)
s.text(130, 30, "window of side s", 13, INK, "middle", bold=True)
x0, y0 = 24, 48
for j in range(14):
    for i in range(18):
        value = 70 + 4 * i + 18 * math.sin(i * 0.7 + j * 0.5) + 10 * math.cos(j * 0.9) + random.gauss(0, 6)
        v = int(max(0, min(255, value)))
        s.rect(x0 + i * 12, y0 + j * 12, 12, 12, "#%02x%02x%02x" % (v, v, v))
s.rect(x0 + 5 * 12, y0 + 3 * 12, 7 * 12, 7 * 12, "none", BLUE, 2.4)
s.rect(x0 + 8 * 12, y0 + 6 * 12, 12, 12, "none", RED, 2.4)
s.text(132, 240, "the red pixel has the value c;\nn = s² pixels count", 12, GREY, "middle")

bins = [0.05, 0.08, 0.16, 0.32, 0.72, 1.0, 0.86, 0.5, 0.24, 0.12, 0.08, 0.06, 0.05, 0.04]
limit = 0.45
ox, oy = 300, 216
s.text(405, 30, "histogram h, clipped at C", 13, INK, "middle", bold=True)
s.axes(ox, oy, 220, 150, "value", "count")
cut = sum(max(0.0, b - limit) for b in bins)
for i, b in enumerate(bins):
    s.rect(ox + 4 + i * 15, oy - 140 * b, 12, 140 * b, PALE_RED if b > limit else PALE_BLUE, LINE)
    s.rect(ox + 4 + i * 15, oy - 140 * min(b, limit), 12, 140 * min(b, limit), PALE_BLUE, LINE)
s.line([(ox, oy - 140 * limit), (ox + 218, oy - 140 * limit)], RED, 1.6, "5 4")
s.text(ox + 218, oy - 140 * limit - 6, "C", 12.5, RED, "end")
cx = ox + 4 + 7 * 15 + 6
s.line([(cx, oy), (cx, oy + 6)], RED, 2)
s.text(cx, oy + 20, "c", 12.5, RED, "middle")
s.text(405, 252, "what is above C (red, E in all)\nis spread over all bins", 12, GREY, "middle")

ox = 600
s.text(720, 30, "mapping", 13, INK, "middle", bold=True)
s.axes(ox, oy, 220, 150, "value", "out")


def steps(values):
    total, points = sum(values), [(ox, oy)]
    run = 0.0
    for i, v in enumerate(values):
        run += v
        points.append((ox + (i + 1) * 210 / len(values), oy - 145 * run / total))
    return points


s.line(steps(bins), BLUE, 2.2)
spread = [min(b, limit) + cut / len(bins) for b in bins]
s.line(steps(spread), GREEN, 2.2)
s.line([(ox, oy), (ox + 210, oy - 145)], LINE, 1, "4 3")
s.text(ox + 118, oy - 128, "without a limit", 12, BLUE, "end")
s.text(ox + 140, oy - 66, "with a limit g:\nno steeper than g", 12, GREEN)
s.text(720, 252, "out is the share of the window\nthat is at most c", 12, GREY, "middle")
s.save("algorithms/equalization-window.svg")
