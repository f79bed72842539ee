"""Scenes with texture, sequences of windows that move over them, and what goes wrong with frames."""
import random
import zlib
import struct

from formats import Picture


class Scene:
    """A grey texture of several scales, values 30..225."""

    def __init__(self, seed, width, height):
        self.width, self.height = width, height
        rng = random.Random(seed)
        total = [0.0] * (width * height)
        for cell, weight in ((41, 1.0), (17, 0.8), (7, 0.7), (3, 0.4)):
            self.add(total, rng, cell, weight)
        low, high = min(total), max(total)
        self.samples = bytes(int(30 + 195 * (v - low) / (high - low)) for v in total)

    def add(self, total, rng, cell, weight):
        columns, rows = self.width // cell + 2, self.height // cell + 2
        lattice = [[rng.random() * weight for _ in range(columns)] for _ in range(rows)]
        for y in range(self.height):
            above, below = lattice[y // cell], lattice[y // cell + 1]
            v = (y % cell) / cell
            line = [a + (b - a) * v for a, b in zip(above, below)]
            start = y * self.width
            for x in range(self.width):
                k = x // cell
                total[start + x] += line[k] + (line[k + 1] - line[k]) * (x % cell) / cell

    def window(self, x, y, width, height):
        rows = [self.samples[(y + r) * self.width + x:(y + r) * self.width + x + width] for r in range(height)]
        return Picture(width, height, 1, b"".join(rows))


_scenes = {}


def scene(seed, width=420, height=330):
    key = seed, width, height
    if key not in _scenes:
        _scenes[key] = Scene(*key)
    return _scenes[key]


class Sequence:
    """Windows of a scene along a path of whole pixels; the truth are their places."""

    def __init__(self, seed, count, width=96, height=72, step=3):
        rng = random.Random(seed)
        self.scene = scene(seed % 4)
        self.width, self.height = width, height
        x, y, dx, dy = 160, 120, step, 1
        self.places = []
        for _ in range(count):
            self.places.append((x, y))
            dx = max(-step, min(step, dx + rng.randint(-1, 1)))
            dy = max(-step, min(step, dy + rng.randint(-1, 1)))
            if not 5 < x + dx < self.scene.width - width - 5:
                dx = -dx
            if not 5 < y + dy < self.scene.height - height - 5:
                dy = -dy
            x, y = x + dx, y + dy
        self.frames = [self.scene.window(px, py, width, height) for px, py in self.places]

    def truth(self, frame, first=0):
        """The shift of a frame to the coordinates of the first."""
        return self.places[frame][0] - self.places[first][0], self.places[frame][1] - self.places[first][1]


# ------------------------------------------------------------- wrong frames

def rows_of(picture):
    n = picture.width * picture.channels
    return [bytes(picture.samples[y * n:(y + 1) * n]) for y in range(picture.height)]


def with_rows(picture, rows):
    return Picture(picture.width, picture.height, picture.channels, b"".join(rows))


def lower_half(picture, fill):
    """fill: bytes of a row from its number."""
    half = picture.height // 2
    return with_rows(picture, rows_of(picture)[:half] + [fill(y) for y in range(half, picture.height)])


def noise(picture, rng):
    n = picture.width * picture.channels
    return lower_half(picture, lambda y: bytes(rng.randrange(256) for _ in range(n)))


def black_half(picture, rng):
    return lower_half(picture, lambda y: bytes(picture.width * picture.channels))


def green_half(picture, rng):
    pixel = b"\x10\xc8\x20" if picture.channels == 3 else b"\x86"
    return lower_half(picture, lambda y: pixel * picture.width)


def torn(picture, rng):
    """The lower half is that of a picture shifted to the side, as after a lost part of a frame."""
    rows = rows_of(picture)
    shift = picture.width // 3 * picture.channels
    half = picture.height // 2
    return with_rows(picture, rows[:half] + [r[shift:] + r[:shift] for r in rows[half:]])


def combed(picture, rng):
    """Odd rows are shifted, as of two fields of a fast motion."""
    shift = 11 * picture.channels
    return with_rows(picture, [r[shift:] + r[:shift] if y % 2 else r for y, r in enumerate(rows_of(picture))])


def foreign(picture, rng):
    other = scene(77).window(rng.randrange(100), rng.randrange(100), picture.width, picture.height)
    return other if picture.channels == 1 else other.map(3, lambda v: (v, v // 2, v // 3))


def black(picture, rng):
    return Picture(picture.width, picture.height, picture.channels, bytes(len(picture.samples)))


def white(picture, rng):
    return Picture(picture.width, picture.height, picture.channels, b"\xff" * len(picture.samples))


def full_noise(picture, rng):
    return Picture(picture.width, picture.height, picture.channels,
                   bytes(rng.randrange(256) for _ in range(len(picture.samples))))


WRONG = {"half green": green_half, "half noise": noise, "half black": black_half, "torn": torn, "combed": combed,
         "foreign": foreign, "black": black, "white": white, "noise": full_noise}


# ------------------------------------------------------------ reading results

def read_png(path):
    """A PNG as Java writes it: not interlaced, 8 bit or 16 bit."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"\x89PNG\r\n\x1a\n" or b"IEND" not in data[-12:]:
        raise ValueError("not a whole PNG")
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, bits, colour = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            packed += body
        at += size + 12
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    step = channels * bits // 8 or 1
    line = (width * channels * bits + 7) // 8
    raw = zlib.decompress(packed)
    before, out = bytearray(line), bytearray()
    for y in range(height):
        row = unfilter(raw[y * (line + 1)], bytearray(raw[y * (line + 1) + 1:(y + 1) * (line + 1)]), before, step)
        out += row
        before = row
    if bits == 16:
        return Picture(width, height, channels, struct.unpack(">%dH" % (len(out) // 2), out))
    return Picture(width, height, channels, bytes(out))


def unfilter(kind, row, above, step):
    for i in range(len(row) if kind else 0):
        left = row[i - step] if i >= step else 0
        up = above[i]
        corner = above[i - step] if i >= step else 0
        if kind == 1:
            add = left
        elif kind == 2:
            add = up
        elif kind == 3:
            add = (left + up) // 2
        else:
            guess = left + up - corner
            add = min((left, up, corner), key=lambda v: abs(guess - v))
        row[i] = (row[i] + add) & 255
    return row


def read_transforms(path):
    """frame (from 1) -> shift of its first pixel."""
    with open(path) as file:
        head = file.readline().strip().split(",")
        rows = [dict(zip(head, line.strip().split(","))) for line in file]
    return {int(r["frame"]): (float(r["m02"]), float(r["m12"])) for r in rows}


def read_table(path):
    with open(path) as file:
        head = file.readline().strip().split(",")
        return [dict(zip(head, line.strip().split(","))) for line in file]
