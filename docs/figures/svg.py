"""A sheet to draw figures on, as SVG: white behind everything, so that it is readable on dark pages, too.

Nothing but Python's standard library. Each other script of this folder draws the figures of one page:

    python3 docs/figures/pairs.py        # writes docs/images/algorithms/pairs-*.svg
    for f in docs/figures/[a-rt-z]*.py; do python3 $f; done     # all of them

To look at one: rsvg-convert docs/images/algorithms/pairs-search.svg -o /tmp/figure.png
"""
import math
import os
from xml.sax.saxutils import escape

INK = "#1f2328"
GREY = "#59636e"
LINE = "#8c959f"
PALE = "#eef1f4"
BLUE = "#0969da"
PALE_BLUE = "#ddeeff"
RED = "#cf222e"
PALE_RED = "#ffe3e0"
GREEN = "#1a7f37"
PALE_GREEN = "#dcf5e3"
ORANGE = "#bc4c00"
PALE_ORANGE = "#fff1dc"
VIOLET = "#8250df"
PALE_VIOLET = "#efe6ff"

IMAGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "images")


def number(value):
    return ("%.2f" % value).rstrip("0").rstrip(".")


class Sheet:
    def __init__(self, width, height, title):
        self.width = width
        self.height = height
        self.title = title
        self.parts = []
        self.rect(0.5, 0.5, width - 1, height - 1, fill="#ffffff", stroke="#d1d9e0", round=8)

    def add(self, part):
        self.parts.append(part)

    def rect(self, x, y, width, height, fill="none", stroke="none", thick=1.0, round=0.0, dash="", opacity=1.0):
        self.add('<rect x="%s" y="%s" width="%s" height="%s" rx="%s" %s/>' % (
            number(x), number(y), number(width), number(height), number(round), style(fill, stroke, thick, dash, opacity)))

    def circle(self, x, y, radius, fill="none", stroke="none", thick=1.0, dash="", opacity=1.0):
        self.add('<circle cx="%s" cy="%s" r="%s" %s/>' % (
            number(x), number(y), number(radius), style(fill, stroke, thick, dash, opacity)))

    def line(self, points, stroke=INK, thick=1.5, dash="", fill="none", closed=False, opacity=1.0):
        path = " ".join("%s,%s" % (number(x), number(y)) for x, y in points)
        self.add('<%s points="%s" stroke-linejoin="round" stroke-linecap="round" %s/>' % (
            "polygon" if closed else "polyline", path, style(fill, stroke, thick, dash, opacity)))

    def arrow(self, points, stroke=INK, thick=1.5, dash="", head=8.0):
        """A line with a head at its end."""
        (x0, y0), (x1, y1) = points[-2], points[-1]
        length = math.hypot(x1 - x0, y1 - y0)
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        bx, by = x1 - ux * head, y1 - uy * head
        self.line(points[:-1] + [(bx, by)], stroke, thick, dash)
        half = head * 0.42
        self.line([(x1, y1), (bx - uy * half, by + ux * half), (bx + uy * half, by - ux * half)], stroke, 0.5, "", stroke, True)

    def text(self, x, y, words, size=13.0, fill=INK, anchor="start", bold=False, italic=False, mono=False, turn=0.0):
        """Lines of text, the first one's base line at y."""
        extra = ' font-weight="600"' if bold else ""
        extra += ' font-style="italic"' if italic else ""
        extra += ' font-family="ui-monospace, Menlo, Consolas, monospace"' if mono else ""
        if turn:
            extra += ' transform="rotate(%s %s %s)"' % (number(turn), number(x), number(y))
        for i, line in enumerate(words.split("\n")):
            self.add('<text x="%s" y="%s" font-size="%s" fill="%s" text-anchor="%s" xml:space="preserve"%s>%s</text>' % (
                number(x), number(y + i * size * 1.3), number(size), fill, anchor, extra, escape(line)))

    def box(self, x, y, width, height, words, fill=PALE, stroke=LINE, size=13.0, bold_first=False, ink=INK):
        """A box with lines of text in its middle."""
        self.rect(x, y, width, height, fill, stroke, 1, 5)
        lines = words.split("\n")
        step = size * 1.3
        first = y + height / 2 - (len(lines) - 1) * step / 2 + size * 0.35
        for i, line in enumerate(lines):
            self.text(x + width / 2, first + i * step, line, size, ink, "middle", bold=bold_first and i == 0)

    def curve(self, function, x0, x1, to_sheet, stroke=BLUE, thick=2.0, steps=160, dash=""):
        """y = function(x) for x0..x1; to_sheet: (x, y) -> a point of the sheet."""
        points = []
        for i in range(steps + 1):
            x = x0 + (x1 - x0) * i / steps
            points.append(to_sheet(x, function(x)))
        self.line(points, stroke, thick, dash)

    def axes(self, x, y, width, height, across, up):
        """Axes with their names: the origin at the lower left, at (x, y)."""
        self.arrow([(x, y), (x + width + 12, y)], GREY, 1.2, head=7)
        self.arrow([(x, y), (x, y - height - 12)], GREY, 1.2, head=7)
        self.text(x + width + 12, y + 18, across, 12, GREY, "end")
        self.text(x + 8, y - height - 4, up, 12, GREY)

    def save(self, name):
        path = os.path.join(IMAGES, name)
        with open(path, "w", encoding="utf-8", newline="\n") as out:
            out.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img"'
                      ' font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif">\n' % (
                          self.width, self.height, self.width, self.height))
            out.write("<title>%s</title>\n" % escape(self.title))
            out.write("\n".join(self.parts))
            out.write("\n</svg>\n")
        print(os.path.normpath(path))


def style(fill, stroke, thick, dash, opacity):
    text = 'fill="%s" stroke="%s" stroke-width="%s"' % (fill, stroke, number(thick))
    if dash:
        text += ' stroke-dasharray="%s"' % dash
    if opacity < 1:
        text += ' opacity="%s"' % number(opacity)
    return text
