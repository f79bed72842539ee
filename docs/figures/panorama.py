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


COLUMNS, ROWS, CELL = 14, 11, 15.0


def rod(x, y):
    """Whether a rod from the lower left lies there, in cells."""
    along, across = 0.94 * x - 0.34 * (y - 9), 0.34 * x + 0.94 * (y - 9)
    return along < 7.6 and abs(across) < 1.9


def rod_border(s, left, top, dx, dy, stroke, dash=""):
    points = []
    for along, across in ((-9, -1.9), (7.6, -1.9), (7.6, 1.9), (-9, 1.9)):
        points.append((0.94 * along + 0.34 * across + dx, 9 - 0.34 * along + 0.94 * across + dy))
    inside = []
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        for k in range(41):
            x, y = x0 + (x1 - x0) * k / 40, y0 + (y1 - y0) * k / 40
            if 0 <= x <= COLUMNS and 0 <= y <= ROWS:
                inside.append((left + x * CELL, top + y * CELL))
    s.line(inside, stroke, 2.2, dash)


def tissue(s, left, top, dx, dy, hidden):
    """Vessels of the scene, moved by (dx, dy) cells, where nothing lies before them."""
    s.rect(left, top, COLUMNS * CELL, ROWS * CELL, "#f0c9b8")
    for k in range(7):
        points = []
        for t in range(-20, 91):
            x = COLUMNS * t / 70 + dx
            y = 2.1 * k - 2 + 0.9 * math.sin(0.8 * (x - dx) + 2.1 * k) + dy
            if 0 <= x <= COLUMNS and 0.1 <= y <= ROWS - 0.1 and not hidden(x, y):
                points.append((left + x * CELL, top + y * CELL))
            elif points:
                s.line(points, "#b4503e", 1.6)
                points = []
        if points:
            s.line(points, "#b4503e", 1.6)


def layers():
    s = Sheet(860, 332, "Two layers of a frame, and the border that went along with the one in front")
    scene, front = (-2.0, 0.6), (1.2, -1.2)
    now = lambda x, y: rod(x - front[0], y - front[1])
    first, second, third = 28, 325, 622
    top = 52

    def label(hidden, i, j):
        covered = sum(hidden(i + u, j + v) for u in (0.1, 0.5, 0.9) for v in (0.1, 0.5, 0.9))
        return None if 2 < covered < 7 else covered > 4

    s.text(first + 105, 34, "earlier: cells of two layers", 13, INK, "middle", bold=True)
    s.text(second + 105, 34, "now: the border went along", 13, INK, "middle", bold=True)
    s.text(third + 105, 34, "cells that decide", 13, INK, "middle", bold=True)
    tissue(s, first, top, 0, 0, rod)
    tissue(s, second, top, scene[0], scene[1], now)
    tissue(s, third, top, scene[0], scene[1], now)
    for left, hidden in ((first, rod), (second, now), (third, now)):
        for row in range(8 * ROWS):
            covered = [x / 20 for x in range(20 * COLUMNS) if hidden(x / 20, (row + 0.5) / 8)]
            if covered:
                s.rect(left + covered[0] * CELL, top + row * CELL / 8, (covered[-1] - covered[0]) * CELL, CELL / 8 + 0.3, "#c3c9d0")
        for j in range(ROWS):
            for i in range(COLUMNS):
                x, y = left + i * CELL, top + j * CELL
                is_front = label(hidden, i, j)
                if left != third and is_front is not None:
                    s.rect(x + 1.5, y + 1.5, CELL - 3, CELL - 3, ORANGE if is_front else BLUE, "none", 1, 2, "", 0.45)
    count = [0, 0]
    for j in range(ROWS):
        for i in range(COLUMNS):
            before_scene = (i - scene[0], j - scene[1])
            before_front = (i - front[0], j - front[1])
            inside = lambda p: 0 <= p[0] <= COLUMNS - 1 and 0 <= p[1] <= ROWS - 1
            if not inside(before_scene) or not inside(before_front) or label(now, i, j) is None:
                continue
            if_scene, if_front = label(rod, *before_scene), label(rod, *before_front)
            if if_scene is None or if_front is None or if_scene == if_front:
                continue
            goes = label(now, i, j) == if_front
            count[0 if goes else 1] += 1
            s.rect(third + i * CELL + 1.5, top + j * CELL + 1.5, CELL - 3, CELL - 3, GREEN if goes else RED, "none", 1, 2, "", 0.75)
    rod_border(s, first, top, 0, 0, ORANGE)
    for left in (second, third):
        rod_border(s, left, top, scene[0], scene[1], BLUE, "5 4")
        rod_border(s, left, top, front[0], front[1], ORANGE)
    for left in (first, second, third):
        s.rect(left, top, COLUMNS * CELL, ROWS * CELL, "none", LINE)
    s.arrow([(second + 150, top + 24), (second + 150 + scene[0] * CELL * 1.4, top + 24 + scene[1] * CELL * 1.4)], BLUE, 2.4)
    s.arrow([(second + 52, top + 112), (second + 52 + front[0] * CELL * 1.4, top + 112 + front[1] * CELL * 1.4)], "#7a3100", 2.4)
    y = top + ROWS * CELL + 24
    s.text(first + 105, y, "blue: goes with one motion\norange: goes with the other\nplain: not known", 12, GREY, "middle")
    s.text(second + 105, y, "solid: the border as it is seen\ndashed: where it would be, had it\ngone with the scene", 12, GREY,
           "middle")
    s.text(third + 105, y, "what is seen there is what the border\nof the rod says (%d), or what the\nscene's says (%d)" % tuple(count),
           12, GREY, "middle")
    s.text(430, 310, "a layer whose border goes along with it lies in front; what it hides and shows again is the scene", 13, INK,
           "middle", bold=True)
    s.save("algorithms/panorama-layers.svg")


chains()
tilt()
layers()
