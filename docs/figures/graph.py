"""The figures of docs/algorithms/pose-graph.md: python3 docs/figures/graph.py"""
from svg import *


def loop():
    s = Sheet(820, 300, "A chain that has drifted, and its poses after a loop was closed")
    n = 13
    true = [(math.cos(2 * math.pi * i / n), math.sin(2 * math.pi * i / n)) for i in range(n)]
    drift = []
    x, y, turn = 1.0, 0.0, 0.0
    for i in range(n):
        drift.append((x, y))
        dx = true[(i + 1) % n][0] - true[i][0]
        dy = true[(i + 1) % n][1] - true[i][1]
        turn += 0.055
        grow = 1.025 ** i
        x += grow * (dx * math.cos(turn) - dy * math.sin(turn))
        y += grow * (dx * math.sin(turn) + dy * math.cos(turn))
    for cx, poses, name, closed in ((200, drift, "along the chain", False), (600, true, "solved", True)):
        s.text(cx, 30, name, 13, INK, "middle", bold=True)
        points = [(cx + 118 * px, 150 + 84 * py) for px, py in poses]
        for a, b in zip(points, points[1:]):
            s.line([a, b], BLUE, 2)
        s.line([points[-1], points[0]], GREEN, 2.2, "" if closed else "6 4")
        for i, (px, py) in enumerate(points):
            s.rect(px - 13, py - 10, 26, 20, PALE_BLUE if i in (0, n - 1) else "#ffffff", BLUE, 1.5)
            s.text(px, py + 4, str(i + 1), 11, INK, "middle")
    s.arrow([(385, 150), (425, 150)], INK, 2)
    s.text(200, 154, "edge of the loop:\nit contradicts the poses", 12, GREEN, "middle")
    s.text(600, 148, "every edge gives in\nby its deviation", 12, GREY, "middle")
    s.save("algorithms/pose-graph-loop.svg")


def robust():
    s = Sheet(820, 276, "Cauchy's function beside a square, the weight of a pair, and how the function narrows")
    ox, oy = 50, 226
    s.text(160, 30, "cost of a contradiction", 13, INK, "middle", bold=True)
    s.axes(ox, oy, 220, 160, "deviations", "cost")
    to = lambda x, y: (ox + x * 220 / 10, oy - y * 160 / 3)
    s.curve(lambda r: r * r / 9, 0, 5.2, to, LINE, 1.6, dash="5 4")
    s.curve(lambda r: math.log(1 + r * r / 9), 0, 10, to, BLUE, 2.2)
    s.text(to(5.4, 0)[0], to(0, 2.8)[1], "least squares", 12, GREY)
    s.text(to(7.2, 0)[0] - 14, to(0, 1.32)[1], "Cauchy, k = 3", 12, BLUE)

    ox = 320
    s.text(430, 30, "weight of a pair", 13, INK, "middle", bold=True)
    s.axes(ox, oy, 200, 160, "deviations", "weight")
    to = lambda x, y: (ox + x * 200 / 10, oy - y * 145)
    s.curve(lambda r: 1 / (1 + r * r / 9), 0, 10, to, GREEN, 2.2)
    s.line([to(3, 0), to(3, 0.5), to(0, 0.5)], GREY, 1, "4 3")
    s.text(to(3, 0)[0], oy + 17, "3", 12, GREY, "middle")
    s.text(to(3, 0)[0] + 8, to(0, 0.5)[1] - 4, "half", 12, GREY)

    ox = 580
    s.text(684, 30, "it narrows to a quarter each time", 13, INK, "middle", bold=True)
    s.axes(ox, oy, 200, 160, "deviations", "weight")
    to = lambda x, y: (ox + x * 200 / 100, oy - y * 145)
    for k, colour in ((192, LINE), (48, VIOLET), (12, ORANGE), (3, GREEN)):
        s.curve(lambda r: 1 / (1 + r * r / (k * k)), 0, 100, to, colour, 2)
    s.text(to(62, 0)[0], to(0, 0.97)[1] + 1, "wide at first", 12, GREY)
    s.text(to(7, 0)[0], to(0, 0.03)[1] + 22, "k = 3", 12, GREEN)
    s.text(to(22, 0)[0], to(0, 0.28)[1], "12", 12, ORANGE)
    s.text(to(56, 0)[0], to(0, 0.48)[1], "48", 12, VIOLET)
    s.save("algorithms/pose-graph-robust.svg")


loop()
robust()
