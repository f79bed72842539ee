"""The figures of docs/algorithms/frames-and-field.md: python3 docs/figures/field.py"""
import random

from svg import *


def field_shape(x, y, size, cut):
    """A round field with cut sides."""
    points = []
    for i in range(72):
        a = 2 * math.pi * i / 72
        points.append((x + max(-cut, min(cut, size * math.cos(a))), y + size * 0.92 * math.sin(a)))
    return points


def steps():
    s = Sheet(820, 228, "From frames to the field of view")
    names = ("1  frames", "what several show", "2-3  region or circle", "4  overlays", "5  border")
    for i, name in enumerate(names):
        x = 16 + i * 160
        s.text(x + 74, 28, name, 13, INK, "middle", bold=True)
        if i:
            s.arrow([(x - 12, 112), (x - 1, 112)], GREY, 1.5, head=7)
    random.seed(4)
    # Three frames over each other, each bright elsewhere.
    for k, (dx, dy) in enumerate(((0, 0), (10, 12), (20, 24))):
        x, y = 18 + dx, 48 + dy
        s.rect(x, y, 120, 100, "#30363d", "#ffffff", 1.5)
        s.line(field_shape(x + 60, y + 50, 46, 42), GREY, 0.5, "", "#8b6a5c", True)
        s.circle(x + 40 + 20 * k, y + 40 + 8 * k, 24, "#d9a08b")
    x, y = 180, 56
    s.rect(x, y, 136, 112, "#30363d")
    s.line(field_shape(x + 68, y + 56, 52, 47), GREY, 0.5, "", "#d9a08b", True)
    s.rect(x + 8, y + 92, 26, 9, "#e6edf3")
    x = 340
    s.rect(x, y, 136, 112, "#30363d")
    s.line(field_shape(x + 68, y + 56, 52, 47), ORANGE, 2.5, "", "#57606a", True)
    s.circle(x + 68, y + 56, 52, "none", BLUE, 1.5, "4 3")
    s.rect(x + 8, y + 92, 26, 9, "#57606a")
    x = 500
    s.rect(x, y, 136, 112, "#30363d")
    s.line(field_shape(x + 68, y + 56, 52, 47), "none", 0, "", "#57606a", True)
    s.rect(x + 42, y + 78, 50, 12, "#30363d", RED, 1.5)
    s.text(x + 67, y + 72, "drawn", 11, "#ffffff", "middle")
    x = 660
    s.rect(x, y, 136, 112, "#30363d")
    shape = field_shape(x + 68, y + 56, 47, 42)
    s.line(shape, GREEN, 2, "", PALE_GREEN, True)
    s.rect(x + 39, y + 75, 56, 18, "#30363d", GREEN, 1.5)
    s.line(field_shape(x + 68, y + 56, 52, 47), "#8c959f", 1, "3 3", "none", True)
    notes = ("up to 16, spread\nover the sequence", "the third brightest\nvalue of each point",
            "largest part above the\nvalley; circle: dashed",
             "edges of one sign\nin every frame", "17/20 of the points\naround are inside")
    for i, note in enumerate(notes):
        s.text(16 + i * 160 + 74, 200, note, 12, GREY, "middle")
    s.save("algorithms/field-steps.svg")


def pattern():
    s = Sheet(820, 280, "A static pattern: details of frames, what they have in common, what is taken out")
    random.seed(7)
    n = 44
    grain = [random.gauss(0, 1) for _ in range(n)]
    s.text(24, 30, "details of one row of pixels, in three frames", 13, INK, bold=True)
    s.text(560, 30, "mean over the frames", 13, INK, bold=True)
    means = [0.0] * n
    for k in range(30):
        row = []
        for i in range(n):
            scene = 10 * math.sin((i + 9 * k) * 0.35) + 5 * math.sin((i + 9 * k) * 0.9 + k)
            row.append(scene + 4.5 * grain[i])
            means[i] += row[i] / 30
        if k < 3:
            y = 75 + 72 * k
            s.line([(24, y), (470, y)], "#d1d9e0", 1)
            s.line([(24 + 10 * i, y - row[i] * 1.3) for i in range(n)], (BLUE, GREEN, ORANGE)[k], 1.6)
            s.text(478, y + 4, "frame %d" % (k + 1), 12, GREY)
    y = 110
    s.line([(560, y), (796, y)], "#d1d9e0", 1)
    s.line([(560 + 5.4 * i, y - means[i] * 3.2) for i in range(n)], RED, 1.8)
    s.text(560, 165, "what stands still: the pattern", 12, RED)
    y = 222
    s.line([(560, y), (796, y)], "#d1d9e0", 1)
    s.line([(560 + 5.4 * i, y - (means[i] - 4.5 * grain[i]) * 3.2) for i in range(n)], GREY, 1.6)
    s.text(560, 262, "less the true one: the rest of the scene", 12, GREY)
    s.save("algorithms/field-pattern.svg")


steps()
pattern()
