"""The figure of docs/algorithms/fourier.md: python3 docs/figures/fourier.py"""
from svg import *

s = Sheet(860, 330, "A rotation and a scale of an image are a shift of its log-polar spectrum")
SPOTS = ((0.30, 20), (0.52, 20), (0.42, 70), (0.66, 118), (0.36, 150))


def picture(cx, cy, turn, scale, colour):
    s.rect(cx - 62, cy - 46, 124, 92, "#f6f8fa", LINE)
    points = []
    for px, py in ((-26, -20), (30, -14), (12, 4), (26, 24), (-22, 18), (-12, -2)):
        a = math.radians(turn)
        points.append((cx + scale * (px * math.cos(a) - py * math.sin(a)),
                cy + scale * (px * math.sin(a) + py * math.cos(a))))
    s.line(points, colour, 1.5, "", "#f0c9b8", True)


def spectrum(cx, cy, turn, scale, colour):
    s.circle(cx, cy, 48, "#f6f8fa", LINE)
    s.line([(cx - 48, cy), (cx + 48, cy)], "#d1d9e0", 1)
    s.line([(cx, cy - 48), (cx, cy + 48)], "#d1d9e0", 1)
    for r, angle in SPOTS:
        for half in (0, 180):
            a = math.radians(angle + turn + half)
            s.circle(cx + 48 * r / scale * math.cos(a), cy + 48 * r / scale * math.sin(a), 4, colour)


def log_polar(x, y, turn, scale, colour):
    s.rect(x, y, 150, 92, "#f6f8fa", LINE)
    for r, angle in SPOTS:
        px = x + 150 * (math.log(r / scale) - math.log(0.16)) / (math.log(1.0) - math.log(0.16))
        py = y + 92 * ((angle + turn) % 180) / 180
        s.circle(px, py, 4.5, colour)


for k, (cy, turn, scale, colour, name) in enumerate(((108, 0, 1.0, BLUE, "reference"),
                                                     (232, 25, 1.35, ORANGE, "current"))):
    picture(88, cy, turn, scale, colour)
    s.arrow([(158, cy), (186, cy)], GREY, 1.5, head=7)
    spectrum(246, cy, turn, scale, colour)
    s.arrow([(302, cy), (330, cy)], GREY, 1.5, head=7)
    log_polar(344, cy - 46, turn, scale, colour)
s.text(88, 44, "images", 13, INK, "middle", bold=True)
s.text(246, 44, "magnitudes", 13, INK, "middle", bold=True)
s.text(419, 44, "log-polar", 13, INK, "middle", bold=True)
s.text(419, 296, "logarithm of the radius →", 12, GREY, "middle")
s.text(506, 278, "angle", 12, GREY, turn=-90)
s.text(246, 302, "rotates with the image,\nshrinks where it grows", 12, GREY, "middle")

s.arrow([(522, 170), (560, 170)], GREY, 1.5, head=7)
s.text(690, 44, "both planes: a shift", 13, INK, "middle", bold=True)
x, y = 580, 78
s.rect(x, y, 220, 150, "#f6f8fa", LINE)
for r, angle in SPOTS:
    ax = x + 220 * (math.log(r) - math.log(0.16)) / (math.log(1.0) - math.log(0.16))
    bx = x + 220 * (math.log(r / 1.35) - math.log(0.16)) / (math.log(1.0) - math.log(0.16))
    ay, by = y + 150 * angle / 180, y + 150 * ((angle + 25) % 180) / 180
    s.circle(ax, ay, 5, BLUE)
    s.circle(bx, by, 5, ORANGE)
    if by > ay:
        ux, uy = bx - ax, by - ay
        length = math.hypot(ux, uy)
        s.arrow([(ax + 8 * ux / length, ay + 8 * uy / length), (bx - 7 * ux / length, by - 7 * uy / length)],
                INK, 1.3, head=6)
s.text(690, 252, "along the radius: the scale,\nalong the angle: the rotation;\nthe peak of their correlation says both", 12,
       GREY, "middle")
s.save("algorithms/fourier-log-polar.svg")
