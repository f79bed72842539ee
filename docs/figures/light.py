"""The figure of docs/algorithms/light.md: python3 docs/figures/light.py"""
from svg import *


def vignette(s, x, y, side, gain):
    """Squares, darker towards the rim."""
    n = 12
    for j in range(n):
        for i in range(n):
            u, v = (i + 0.5) / n * 2 - 1, (j + 0.5) / n * 2 - 1
            r2 = (u * u + v * v) / 2
            value = gain * (1 - 0.62 * r2 - 0.25 * r2 * r2)
            value = max(0.0, min(1.0, value))
            s.rect(x + i * side / n, y + j * side / n, side / n + 0.4, side / n + 0.4,
                   "#%02x%02x%02x" % (int(245 * value), int(205 * value), int(185 * value)))


def scene(s, x, y, width, height, gain=1.0):
    s.rect(x, y, width, height, "#%02x%02x%02x" % (int(226 * gain), int(166 * gain), int(146 * gain)))
    for k in range(4):
        points = [(x + width * t / 30,
                y + height * (0.2 + 0.22 * k + 0.05 * math.sin(t * 0.5 + 2 * k))) for t in range(31)]
        s.line(points, "#b04a3a", 2.2)


s = Sheet(820, 250, "What a frame shows: gain times vignetting times scene")
y = 56
s.text(76, 34, "a frame", 13, INK, "middle", bold=True)
vignette(s, 20, y, 112, 0.86)
for k in range(4):
    points = [(20 + 112 * t / 30, y + 112 * (0.2 + 0.22 * k + 0.05 * math.sin(t * 0.5 + 2 * k))) for t in range(31)]
    s.line(points, "#7d3328", 2)
s.text(152, y + 62, "=", 20, INK, "middle")
s.text(200, 34, "gain", 13, INK, "middle", bold=True)
s.rect(172, y, 56, 112, "#f6f8fa", LINE)
bars = (0.9, 1.05, 0.86, 1.12, 0.95)
for i, b in enumerate(bars):
    s.rect(177 + i * 9.4, y + 106 - 80 * b, 7, 80 * b, RED if i == 2 else "#c9d1d9")
s.text(200, y + 132, "one a frame\nand channel", 12, GREY, "middle")
s.text(246, y + 62, "×", 20, INK, "middle")
s.text(320, 34, "vignetting", 13, INK, "middle", bold=True)
vignette(s, 264, y, 112, 1.0)
s.text(320, y + 132, "one surface\nfor all frames", 12, GREY, "middle")
s.text(395, y + 62, "×", 20, INK, "middle")
s.text(470, 34, "scene", 13, INK, "middle", bold=True)
scene(s, 414, y, 112, 112)
s.text(470, y + 132, "one mean a node,\neliminated", 12, GREY, "middle")

ox, oy = 580, 206
s.text(ox + 105, 34, "vignetting along the field", 13, INK, "middle", bold=True)
s.axes(ox, oy, 200, 130, "pixel", "")
to = lambda x, v: (ox + (x + 1) * 100, oy - v * 120)
fall = lambda x: 1 - 0.30 * x * x - 0.2 * x ** 4
s.curve(fall, -1, 1, to, BLUE, 2.2)
s.curve(lambda x: 1, -1, 1, to, LINE, 1, dash="4 3")
for a in (-0.92, 0.92):
    s.arrow([to(a, fall(a)), to(a, 1)], GREEN, 1.6, head=7)
s.text(ox + 104, oy - 46, "the correction lifts\nthe rim", 12, GREEN, "middle")
s.save("algorithms/light-model.svg")
