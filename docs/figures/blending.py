"""The figure of docs/algorithms/blending.md: python3 docs/figures/blending.py"""
from svg import *

s = Sheet(860, 420, "Two frames over each other: scores, and what each of two bands takes")


def graph(x, y, width, height, title, across="along a row of the panorama"):
    s.text(x, y - height - 14, title, 13, INK, bold=True)
    s.line([(x, y), (x + width, y)], LINE, 1)
    return lambda t, v: (x + width * t, y - height * v)


def inside(t, a, b, depth=0.18):
    """The depth of a frame from a to b, cut off."""
    return max(0.0, min((t - a) / depth, (b - t) / depth, 1.0))


first = lambda t: inside(t, 0.0, 0.66, 0.33)
second = lambda t: inside(t, 0.34, 1.0, 0.33)
scene = lambda t: 0.42 + 0.1 * math.sin(9 * t) + 0.05 * math.sin(31 * t + 1)
shown1 = lambda t: scene(t) + 0.2
shown2 = lambda t: scene(t) - 0.18

to = graph(30, 148, 380, 92, "1  what two frames show")
s.curve(shown1, 0, 0.66, to, BLUE, 2)
s.curve(shown2, 0.34, 1, to, ORANGE, 2)
s.text(to(0.2, 0)[0], to(0, 0.86)[1], "frame 1: brighter", 12, BLUE)
s.text(to(0.78, 0)[0], to(0, 0.06)[1], "frame 2", 12, ORANGE)

to = graph(450, 148, 380, 92, "2  scores: depth in the field times weight")
s.curve(lambda t: first(t), 0, 0.66, to, BLUE, 2, 400)
s.curve(second, 0.34, 1, to, ORANGE, 2)

to = graph(30, 342, 380, 92, "3  weights: broad (dashed) and narrow")
w1 = first


def narrow(mine, other, t):
    best = max(mine, other)
    if best <= 0:
        return 0.0
    return mine / best * 2 ** (-(best - mine) * 255 / 16)


s.curve(w1, 0, 0.66, to, BLUE, 1.3, 400, "4 3")
s.curve(second, 0.34, 1, to, ORANGE, 1.3, 200, "4 3")
s.curve(lambda t: narrow(w1(t), second(t), t), 0, 0.66, to, BLUE, 2.2, 400)
s.curve(lambda t: narrow(second(t), w1(t), t), 0.34, 1, to, ORANGE, 2.2, 400)
s.text(30, 376, "narrow: halved for every 16 that a score is below\nthe best: few frames make the details", 12, GREY)

to = graph(450, 342, 380, 92, "4  narrow mean + smoothed (broad - narrow mean)")


def mean(t, narrowly):
    a, b = w1(t) if t < 0.66 else 0.0, second(t) if t > 0.34 else 0.0
    if narrowly:
        a, b = narrow(a, b, t), narrow(b, a, t)
    return (a * shown1(t) + b * shown2(t)) / (a + b) if a + b > 0 else scene(t)


def blended(t):
    total = weights = 0.0
    for k in range(-20, 21):
        u = min(0.985, max(0.015, t + k * 0.006))
        w = math.exp(-(k / 9) ** 2)
        total += w * (mean(u, False) - mean(u, True))
        weights += w
    return mean(t, True) + total / weights


s.curve(lambda t: mean(t, True), 0.015, 0.985, to, LINE, 1.6, 400)
s.curve(blended, 0.015, 0.985, to, GREEN, 2.4, 400)
s.text(450, 376, "grey: narrow mean alone, with the steps of the light", 12, GREY)
s.text(450, 393, "green: the panorama: details of a few frames, light of all", 12, GREEN)
s.save("algorithms/blending-bands.svg")
