"""The figures of docs/algorithms/pairs.md: python3 docs/figures/pairs.py"""
import random

from svg import *


def vessels(s, x, y, width, height, dx=0.0, dy=0.0):
    """A frame with vessels, whose picture is moved by (dx, dy) of its side."""
    s.rect(x, y, width, height, "#f0c9b8")
    for k in range(5):
        points = []
        for t in range(0, 61):
            u = t / 60
            v = 0.12 + 0.2 * k + 0.05 * math.sin(9 * (u - dx) + 2.1 * k) - dy * 0 + dy
            if 0.01 <= v <= 0.99:
                points.append((x + width * u, y + height * v))
        if points:
            s.line(points, "#b4503e", 2)


def search():
    s = Sheet(820, 316, "Landmarks of the reference, and the logarithmic search of one of them in the current frame")
    s.text(130, 30, "reference: landmarks", 13, INK, "middle", bold=True)
    vessels(s, 24, 48, 212, 170)
    for j in range(4):
        for i in range(4):
            px, py = 54 + i * 51, 72 + j * 41
            s.circle(px, py, 3, BLUE)
    s.rect(105 - 17, 113 - 17, 34, 34, "none", BLUE, 2)
    s.text(130, 240, "template x template px\naround each landmark", 12, GREY, "middle")

    s.text(400, 30, "current: nine positions", 13, INK, "middle", bold=True)
    cx, cy, step = 400, 140, 9.6
    s.rect(290, 48, 220, 184, "#f6f8fa", LINE)
    for i in range(-11, 12):
        s.line([(cx + i * step, 50), (cx + i * step, 230)], "#e3e8ed", 0.8)
        if -9 <= i <= 9:
            s.line([(292, cy + i * step), (508, cy + i * step)], "#e3e8ed", 0.8)
    rounds = (((0, 0), 4, BLUE), ((4, -4), 4, GREEN), ((4, -4), 2, ORANGE), ((6, -4), 1, RED))
    for (px, py), offset, colour in rounds:
        for j in (-1, 0, 1):
            for i in (-1, 0, 1):
                s.circle(cx + (px + i * offset) * step, cy + (py + j * offset) * step, 3.4, "#ffffff", colour, 1.8)
    path = ((0, 0), (4, -4), (6, -4), (7, -4))
    s.arrow([(cx + x * step, cy + y * step) for x, y in path[:2]], INK, 2)
    s.circle(cx + 7 * step, cy - 4 * step, 4.4, RED)
    s.circle(cx, cy, 4.4, BLUE)
    s.text(cx - 6, cy + 18, "start", 12, BLUE, "end")
    s.text(400, 250,
           "the greatest coefficient becomes the\ncentre; if it is the centre, the\noffset is halved: 4, 4, 2, 1",
           12, GREY, "middle")

    ox, oy = 560, 218
    s.text(680, 30, "sub-pixel peak", 13, INK, "middle", bold=True)
    s.axes(ox, oy, 226, 150, "", "coefficient")
    peak = lambda x: 0.97 - 0.11 * (x - 0.3) ** 2
    to = lambda x, y: (ox + 113 + x * 62, oy - (y - 0.55) * 330)
    s.curve(peak, -1.6, 1.7, to, BLUE, 2)
    for x in (-1, 0, 1):
        s.circle(*to(x, peak(x)), 4.5, "#ffffff", RED, 2)
        s.line([(to(x, 0)[0], oy), (to(x, 0)[0], oy + 4)], GREY)
        s.text(to(x, 0)[0], oy + 18, str(x), 12, GREY, "middle")
    s.line([to(0.3, peak(0.3)), (to(0.3, 0)[0], oy)], GREEN, 1.4, "4 3")
    s.text(to(0.3, 0)[0] + 5, oy - 10, "0.3", 12, GREEN)
    s.text(680, 262, "position, px: a quadratic through the\nlast nine coefficients, by least squares", 12,
            GREY, "middle")
    s.save("algorithms/pairs-search.svg")


def patches():
    s = Sheet(820, 300, "Patches, what each says, and the robust fit over all of them")
    s.text(120, 30, "patches of the reference", 13, INK, "middle", bold=True)
    vessels(s, 24, 48, 196, 156)
    for j in range(5):
        for i in range(6):
            s.rect(33 + i * 31.5, 57 + j * 29.5, 20, 20, "none", BLUE, 1.4)
    s.text(122, 228, "up to 22 along the longer side,\nof 16, 24 or 32 px", 12, GREY, "middle")

    ox, oy = 270, 204
    s.text(370, 30, "inside one patch", 13, INK, "middle", bold=True)
    random.seed(3)
    s.axes(ox, oy, 190, 140, "reference R", "current C")
    for k in range(40):
        r = random.random()
        c = 0.15 + 0.62 * r + random.gauss(0, 0.055)
        s.circle(ox + 12 + r * 165, oy - 12 - c * 128, 2.2, GREY)
    s.line([(ox + 12, oy - 12 - 0.15 * 128), (ox + 177, oy - 12 - 0.77 * 128)], GREEN, 2.2)
    s.text(ox + 100, 240, "gain, offset and slopes are free;\nwhat goes with the gradients\nis the step d", 12,
            GREY, "middle")

    s.text(640, 30, "fit over all patches", 13, INK, "middle", bold=True)
    random.seed(11)
    for j in range(5):
        for i in range(6):
            x, y = 528 + i * 42, 66 + j * 34
            dx = 15 - 2.2 * (j - 2) + random.gauss(0, 0.8)
            dy = -5 + 1.6 * (i - 2.5) + random.gauss(0, 0.8)
            odd = (i, j) in ((1, 3), (4, 1), (5, 1))
            if odd:
                dx, dy = -dx * 0.8, 12
            s.arrow([(x, y), (x + dx, y + dy)], RED if odd else BLUE, 1.7, head=6)
    s.text(646, 240,
            "Tukey's weights: patches that contradict\nthe others (red: an instrument, a fold)\nhave no say",
                    12, GREY, "middle")
    s.save("algorithms/pairs-patches.svg")


def pyramid():
    s = Sheet(820, 320, "Levels of a pair: three starts in the coarsest, one goes on")
    sides = ((64, 52), (104, 83), (150, 120), (210, 168))
    names = ("level of 1/8", "level of 1/4", "level of 1/2", "the frames")
    x = 44
    bottom = 238
    centres = []
    for k, ((w, h), name) in enumerate(zip(sides, names)):
        y = bottom - h
        vessels(s, x, y, w, h)
        s.rect(x, y, w, h, "none", LINE)
        s.text(x + w / 2, bottom + 20, name, 12.5, INK, "middle", bold=True)
        centres.append((x, y, w, h))
        x += w + 68
    x0, y0, w0, h0 = centres[0]
    starts = ((x0 + 14, y0 + 14, GREEN), (x0 + 26, y0 + 40, ORANGE), (x0 + 52, y0 + 30, RED))
    for sx, sy, colour in starts:
        s.circle(sx, sy, 4.5, colour, "#ffffff", 1.2)
    labels = (("what the landmarks say", GREEN), ("what they started from", ORANGE), ("no motion", RED))
    for i, (words, colour) in enumerate(labels):
        s.circle(36, 52 + i * 21, 4.5, colour)
        s.text(48, 56 + i * 21, words, 12.5, colour)
    s.text(30, 32, "three starts, at most three steps each", 13, INK, bold=True)
    last = starts[0][:2]
    for x, y, w, h in centres[1:]:
        point = (x + w * 0.62, y + h * 0.42)
        if last:
            s.arrow([last, point], GREEN, 2.2)
        last = point
    for x, y, w, h in centres[1:]:
        s.circle(x + w * 0.62, y + h * 0.42, 4.5, GREEN, "#ffffff", 1.2)
    notes = ("similarity", "one step", "one step", "affine, then the class is chosen;\nat most six steps")
    for (x, y, w, h), note in zip(centres, notes):
        s.text(x + w / 2, bottom + 40, note, 12, GREY, "middle")
    s.text(410, 32, "the start with the least sum of log(1 - c²) goes on", 13, GREEN, bold=True)
    s.save("algorithms/pairs-pyramid.svg")


search()
patches()
pyramid()
