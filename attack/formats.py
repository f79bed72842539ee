"""Image files from pixels, in every kind that the attack needs: written here, so that each can be damaged on purpose."""
import math
import struct
import zlib


class Picture:
    """Interleaved samples, row by row: of 8 bits as bytes, of 16 bits as a list of numbers."""

    def __init__(self, width, height, channels, samples):
        self.width, self.height, self.channels, self.samples = width, height, channels, samples

    def map(self, channels, pixel):
        """A picture of other channels: pixel takes the samples of one pixel and gives the new ones."""
        n = self.channels
        out = []
        for i in range(0, len(self.samples), n):
            out.extend(pixel(*self.samples[i:i + n]))
        return Picture(self.width, self.height, channels, out)

    def bytes(self):
        return bytes(self.samples)

    def words(self, order):
        return struct.pack("%s%dH" % (order, len(self.samples)), *self.samples)


def rgb(grey):
    """Colours whose grey is close to the picture's."""
    return grey.map(3, lambda v: (min(255, v + v // 8), v, max(0, v - v // 8)))


def deep(grey, low=3000, gain=40):
    return grey.map(1, lambda v: (low + gain * v,))


# ------------------------------------------------------------------------ PNG

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def packed_row(row, bits):
    if bits == 8:
        return bytes(row)
    if bits == 16:
        return struct.pack(">%dH" % len(row), *row)
    per = 8 // bits
    row = list(row) + [0] * (-len(row) % per)
    return bytes(sum(v << (8 - bits * (k + 1)) for k, v in enumerate(row[i:i + per])) for i in range(0, len(row), per))


ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def png(picture, bits=8, palette=None, interlaced=False, extra=b""):
    kinds = {1: 3 if palette else 0, 2: 4, 3: 2, 4: 6}
    w, h, n = picture.width, picture.height, picture.channels
    rows = b""
    for x0, y0, dx, dy in ADAM7 if interlaced else ((0, 0, 1, 1),):
        for y in range(y0, h, dy):
            row = []
            for x in range(x0, w, dx):
                row.extend(picture.samples[(y * w + x) * n:(y * w + x + 1) * n])
            if row:
                rows += b"\0" + packed_row(row, bits)
    head = struct.pack(">IIBBBBB", w, h, bits, kinds[n], 0, 0, int(interlaced))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra + (chunk(b"PLTE", palette) if palette else b"")
            + chunk(b"IDAT", zlib.compress(rows, 6)) + chunk(b"IEND", b""))


def greys():
    """A palette in which number v is grey v."""
    return bytes(v for v in range(256) for _ in range(3))


# ----------------------------------------------------------------------- TIFF

def tiff(pages, order="<", big=False):
    """pages: (tags {tag: (type, values)}, strips [bytes]); strips lie before their directory."""
    out = bytearray(b"II" if order == "<" else b"MM")
    if big:
        out += struct.pack(order + "HHHQ", 43, 8, 0, 0)
        head, link = "Q", 8
    else:
        out += struct.pack(order + "HI", 42, 0)
        head, link = "I", 4
    for tags, strips in pages:
        tags = dict(tags)
        offsets = []
        for strip in strips:
            offsets.append(len(out))
            out += strip + b"\0" * (len(strip) % 2)
        tags.setdefault(273, (4, offsets))
        tags.setdefault(279, (4, [len(s) for s in strips]))
        far = {}
        for tag, (kind, values) in tags.items():
            data = values if kind == 2 else struct.pack("%s%d%s" % (order, len(values), {1: "B", 3: "H", 4: "I"}[kind]),
                                                        *values)
            if len(data) > struct.calcsize(head):
                far[tag] = struct.pack(order + head, len(out))
                out += data + b"\0" * (len(data) % 2)
            else:
                far[tag] = data.ljust(struct.calcsize(head), b"\0")
        struct.pack_into(order + head, out, link, len(out))
        out += struct.pack(order + ("Q" if big else "H"), len(tags))
        for tag in sorted(tags):
            kind, values = tags[tag]
            out += struct.pack(order + "HH" + head, tag, kind, len(values)) + far[tag]
        link = len(out)
        out += struct.pack(order + head, 0)
    return bytes(out)


def page(picture, order="<", bits=8, photometric=None, compression=1, rows=None, planar=False, extra=None):
    """One page of tiff(): rows a strip, packed as the compression says."""
    w, h, n = picture.width, picture.height, picture.channels
    data = picture.words(order) if bits == 16 else picture.bytes() if bits == 8 else b"".join(
        packed_row(picture.samples[y * w * n:(y + 1) * w * n], bits) for y in range(h))
    if planar:
        data = b"".join(bytes(picture.samples[c::n]) for c in range(n))
    rows = rows or h
    line = len(data) // h // (n if planar else 1)
    strips = [data[i:i + rows * line] for i in range(0, len(data), rows * line)]
    pack = {1: bytes, 5: tiff_lzw, 8: zlib.compress, 32946: zlib.compress, 32773: packbits}[compression]
    tags = {256: (4, [w]), 257: (4, [h]), 258: (3, [bits] * n), 259: (3, [compression]),
            262: (3, [photometric if photometric is not None else {1: 1, 2: 1, 3: 2, 4: 2}[n]]), 277: (3, [n]),
            278: (4, [rows]), 284: (3, [2 if planar else 1])}
    if n in (2, 4) and photometric != 5:
        tags[338] = (3, [2])
    tags.update(extra or {})
    return tags, [pack(s) for s in strips]


def imagej_stack(pictures, order=">", bits=8):
    """ImageJ's own: one directory at the beginning, the images one after the other behind it."""
    first = pictures[0]
    text = b"ImageJ=1.54p\nimages=%d\nslices=%d\n\0" % (len(pictures), len(pictures))
    data = [p.words(order) if bits == 16 else p.bytes() for p in pictures]
    tags, _ = page(first, order, bits)
    tags.update({270: (2, text), 273: (4, [0]), 279: (4, [len(data[0])])})
    head = tiff([(tags, [])], order)
    tags[273] = (4, [len(head)])
    return tiff([(tags, [])], order) + b"".join(data)


def packbits(data):
    """Literal runs alone."""
    return b"".join(bytes([len(data[i:i + 128]) - 1]) + data[i:i + 128] for i in range(0, len(data), 128))


def tiff_lzw(data):
    """Literals alone, the table cleared before codes would get longer."""
    codes = []
    for i in range(0, len(data), 250):
        codes += [256] + list(data[i:i + 250])
    codes.append(257)
    text = "".join(format(c, "09b") for c in codes)
    text += "0" * (-len(text) % 8)
    return int(text, 2).to_bytes(len(text) // 8, "big")


def tiff_jpeg(picture):
    """A page whose one strip is a whole JPEG file (compression 7)."""
    n = picture.channels
    data = jpeg(picture)
    tags = {256: (4, [picture.width]), 257: (4, [picture.height]), 258: (3, [8] * n), 259: (3, [7]),
            262: (3, [1 if n == 1 else 6]), 277: (3, [n]), 278: (4, [picture.height]), 284: (3, [1])}
    if n == 3:
        tags[530] = (3, [1, 1])
    return tags, [data]


# ------------------------------------------------------------------ GIF, BMP

def gif(picture, frames=1):
    w, h = picture.width, picture.height
    bits = []
    for i in range(0, len(picture.samples), 250):
        bits += [256] + list(picture.samples[i:i + 250])
    bits.append(257)
    value = 0
    for k, code in enumerate(bits):
        value |= code << 9 * k
    data = value.to_bytes((9 * len(bits) + 7) // 8, "little")
    blocks = b"".join(bytes([len(data[i:i + 255])]) + data[i:i + 255] for i in range(0, len(data), 255)) + b"\0"
    image = b"\x2c" + struct.pack("<HHHHB", 0, 0, w, h, 0) + b"\x08" + blocks
    return b"GIF89a" + struct.pack("<HHBBB", w, h, 0xf7, 0, 0) + greys() + image * frames + b"\x3b"


def bmp(picture):
    w, h, n = picture.width, picture.height, picture.channels
    rows = b""
    for y in range(h - 1, -1, -1):
        line = picture.samples[y * w * n:(y + 1) * w * n]
        row = bytes(line) if n == 1 else bytes(v for x in range(w) for v in line[3 * x:3 * x + 3][::-1])
        rows += row + b"\0" * (-len(row) % 4)
    palette = b"".join(bytes([v, v, v, 0]) for v in range(256)) if n == 1 else b""
    offset = 54 + len(palette)
    return (b"BM" + struct.pack("<IHHI", offset + len(rows), 0, 0, offset)
            + struct.pack("<IiiHHIIiiII", 40, w, h, 1, 8 * n, 0, len(rows), 2835, 2835, 0, 0) + palette + rows)


# ----------------------------------------------------------------------- JPEG

ZIGZAG = sorted(range(64), key=lambda i: (i // 8 + i % 8, (i // 8 if (i // 8 + i % 8) % 2 else i % 8)))
# The example tables of the standard (ITU-T T.81, annex K.3): lengths, then values.
DC = (bytes([0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]), bytes(range(12)))


def ac_table():
    """Every run and size with a code of 8 or 9 bits: no optimum, but short to say."""
    values = [0x00, 0xf0] + [run << 4 | size for run in range(16) for size in range(1, 11)]
    return bytes([0] * 7 + [92, len(values) - 92] + [0] * 7), bytes(values)


AC = ac_table()


def codes(table):
    lengths, values = table
    out, code, k = {}, 0, 0
    for bits, n in enumerate(lengths, 1):
        for _ in range(n):
            out[values[k]] = format(code, "0%db" % bits)
            code, k = code + 1, k + 1
        code <<= 1
    return out


DC_CODES, AC_CODES = codes(DC), codes(AC)
COSINES = [[(math.sqrt(0.125) if u == 0 else 0.5) * math.cos((2 * x + 1) * u * math.pi / 16) for x in range(8)]
           for u in range(8)]


def dct(block):
    half = [[sum(COSINES[u][x] * block[8 * y + x] for x in range(8)) for u in range(8)] for y in range(8)]
    return [sum(COSINES[v][y] * half[y][u] for y in range(8)) for v in range(8) for u in range(8)]


def number(value):
    """Size and bits of a coefficient."""
    size = abs(value).bit_length()
    return size, format(value if value >= 0 else value + (1 << size) - 1, "0%db" % size) if size else ""


def entropy(planes, width, height, step):
    before = [0] * len(planes)
    text = []
    for by in range(0, height, 8):
        for bx in range(0, width, 8):
            for c, plane in enumerate(planes):
                block = [plane[min(height - 1, by + y) * width + min(width - 1, bx + x)] - 128
                         for y in range(8) for x in range(8)]
                levels = [round(v / step) for v in dct(block)]
                size, bits = number(levels[0] - before[c])
                before[c] = levels[0]
                text += [DC_CODES[size], bits]
                run = 0
                for i in ZIGZAG[1:]:
                    if levels[i] == 0:
                        run += 1
                        continue
                    while run > 15:
                        text.append(AC_CODES[0xf0])
                        run -= 16
                    size, bits = number(levels[i])
                    text += [AC_CODES[run << 4 | size], bits]
                    run = 0
                if run:
                    text.append(AC_CODES[0])
    text = "".join(text)
    text += "1" * (-len(text) % 8)
    return int(text, 2).to_bytes(len(text) // 8, "big").replace(b"\xff", b"\xff\0")


def ycc(r, g, b):
    return (round(0.299 * r + 0.587 * g + 0.114 * b),
            max(0, min(255, round(128 - 0.168736 * r - 0.331264 * g + 0.5 * b))),
            max(0, min(255, round(128 + 0.5 * r - 0.418688 * g - 0.081312 * b))))


def segment(marker, data):
    return bytes([0xff, marker]) + struct.pack(">H", len(data) + 2) + data


def jpeg(picture, adobe=None, exif=b"", step=3):
    """Grey, RGB (as YCbCr), or four channels as they are with an Adobe marker: transform 0 CMYK, 2 YCCK (inverted)."""
    w, h, n = picture.width, picture.height, picture.channels
    if n == 3 and adobe != 0:
        picture = picture.map(3, ycc)
    planes = [picture.samples[c::n] for c in range(n)]
    out = b"\xff\xd8"
    if adobe is None:
        out += segment(0xe0, b"JFIF\0\1\1\0\0\1\0\1\0\0")
    if exif:
        out += segment(0xe1, b"Exif\0\0" + exif)
    if adobe is not None:
        out += segment(0xee, b"Adobe" + struct.pack(">HHHB", 100, 0, 0, adobe))
    out += segment(0xdb, b"\0" + bytes([step]) * 64)
    frame = b"".join(bytes([c + 1, 0x11, 0]) for c in range(n))
    out += segment(0xc0, struct.pack(">BHHB", 8, h, w, n) + frame)
    out += segment(0xc4, b"\x00" + DC[0] + DC[1]) + segment(0xc4, b"\x10" + AC[0] + AC[1])
    out += segment(0xda, bytes([n]) + b"".join(bytes([c + 1, 0]) for c in range(n)) + b"\0\x3f\0")
    return out + entropy(planes, w, h, step) + b"\xff\xd9"


def cmyk(picture, transform):
    """A grey picture as Adobe writes CMYK: inverted, without black."""
    def ink(v):
        # Of YCCK the colours are those of the inks that are not inverted.
        return (v, v, v, 255) if transform == 0 else ycc(255 - v, 255 - v, 255 - v) + (255,)
    return jpeg(picture.map(4, ink), adobe=transform)
