"""The figure of docs/algorithms/lens.md: python3 docs/figures/lens.py"""
from svg import *


def shown(x, y, strength):
    """Where the division model shows what lies at (x, y)."""
    r2 = x * x + y * y
    f = 2 / (1 + math.sqrt(max(0.0, 1 - 4 * strength * r2)))
    return x * f, y * f


def grid(s, cx, cy, strength, colour):
    half, up = 100.0, 80.0
    for k in range(-4, 5):
        across, down = [], []
        for i in range(-40, 41):
            t = i / 40
            px, py = shown(t, 0.8 * k / 4, strength)
            across.append((cx + half * px, cy + half * py))
            px, py = shown(k / 4, 0.8 * t, strength)
            down.append((cx + half * px, cy + half * py))
        s.line(across, colour, 1.3)
        s.line(down, colour, 1.3)
    return up


s = Sheet(820, 300, "The division model: a grid through a lens, and how far points are moved")
for x, strength, name, colour in ((140, 0.0, "lens = 0", GREY), (390, -0.2, "lens = -20: barrel", BLUE)):
    s.text(x, 30, name, 13, INK, "middle", bold=True)
    s.rect(x - 100, 68, 200, 160, "#f6f8fa", LINE)
    grid(s, x, 148, strength, colour)
    s.circle(x, 148, 3, RED)
s.text(140, 262, "a plane grid", 12, GREY, "middle")
s.text(390, 262, "the same, as the frame shows it", 12, GREY, "middle")

ox, oy, wide, high = 560, 248, 216, 190
s.text(ox + 108, 30, "shown at, of the true r", 13, INK, "middle", bold=True)
s.axes(ox, oy, wide, high, "true r", "shown at")
to = lambda x, y: (ox + x * wide / 1.3, oy - y * high / 1.3)
s.curve(lambda r: r, 0, 1.3, to, LINE, 1.2, dash="4 3")
s.curve(lambda r: 2 * r / (1 + math.sqrt(1 + 4 * 0.2 * r * r)), 0, 1.3, to, BLUE, 2)
s.curve(lambda r: 2 * r / (1 + math.sqrt(1 - 4 * 0.1 * r * r)), 0, 1.13, to, ORANGE, 2)
s.text(to(1.3, 1.06)[0] - 8, to(1.3, 1.0)[1] + 22, "-20", 12, BLUE, "end")
s.text(to(1.0, 1.24)[0] - 6, to(1.0, 1.2)[1], "+10", 12, ORANGE, "end")
x1, y1 = to(1, 0)
s.line([(x1, y1), (x1, y1 + 5)], GREY, 1.2)
s.text(x1, y1 + 18, "1", 12, GREY, "middle")
s.save("algorithms/lens-model.svg")
