"""The figure of docs/algorithms/exposures.md: python3 docs/figures/exposures.py"""
from svg import *

s = Sheet(860, 370, "Two exposures: equal shares of black, counts of columns, shares that differ")


def height(x):
    """A skyline."""
    return 48 + 24 * math.sin(x * 0.045) + 14 * math.sin(x * 0.11 + 1) + (26 if 70 < x < 96 else 0)


def picture(x, y, moved, sky, ground):
    s.rect(x, y, 150, 100, sky)
    points = [(x + i, y + 100 - height(i + moved)) for i in range(0, 151, 2)]
    s.line(points + [(x + 150, y + 100), (x, y + 100)], "none", 0, "", ground, True)


picture(24, 54, 0, "#8a929b", "#30363d")
picture(24, 176, 14, "#ffffff", "#9aa3ad")
s.rect(24, 54, 150, 100, "none", LINE)
s.rect(24, 176, 150, 100, "none", LINE)
s.text(99, 34, "two exposures", 13, INK, "middle", bold=True)
s.text(99, 300, "grey levels change,\ntheir order does not", 12, GREY, "middle")

for k, (y, moved) in enumerate(((54, 0), (176, 14))):
    picture(240, y, moved, "#ffffff", "#1f2328")
    s.rect(240, y, 150, 100, "none", LINE)
    s.arrow([(182, y + 50), (230, y + 50)], GREY, 1.5, head=7)
s.text(315, 34, "bitmaps", 13, INK, "middle", bold=True)
s.text(315, 300, "thresholds that leave the\nsame share black", 12, GREY, "middle")

s.text(520, 34, "black pixels of each column", 13, INK, "middle", bold=True)
for k, (y, moved, colour) in enumerate(((154, 0, BLUE), (276, 14, ORANGE))):
    s.line([(440, y), (600, y)], LINE, 1)
    s.line([(440 + i * 160 / 150, y - 0.8 * height(i + moved)) for i in range(0, 151, 2)], colour, 2)
    s.arrow([(398, y - 50), (432, y - 50)], GREY, 1.5, head=7)
s.text(520, 300, "their coefficient for every shift:\nfour candidates an axis", 12, GREY, "middle")

ox, oy = 650, 250
s.text(745, 34, "share that differs, m(s)", 13, INK, "middle", bold=True)
s.axes(ox, oy, 180, 160, "", "")
base = lambda t: 0.12 + 0.23 * abs(t - 0.3)
to = lambda t, m: (ox + 90 + t * 36, oy - m * 190)
s.line([to(t / 10, max(base(t / 10), 0)) for t in range(-24, 25)], LINE, 1.3, "4 3")
for t in range(-2, 3):
    s.circle(*to(t, base(t) + (0.02 if t == 0 else 0)), 5, "#ffffff", BLUE, 2)
    s.text(to(t, 0)[0], oy + 18, str(t), 12, GREY, "middle")
s.line([to(0.3, 0), to(0.3, base(0.3))], GREEN, 2)
s.text(to(0.3, 0)[0] + 6, oy - 8, "fraction 0.3", 12, GREEN)
s.text(745, 300, "the bitmaps decide: it grows in\nproportion to the distance", 12, GREY, "middle")
s.text(430, 350,
        "check: the share of pixels that differ between the bitmaps, at the sixteen candidates and around the best",
       12, GREY, "middle")
s.save("algorithms/exposures-bitmaps.svg")
