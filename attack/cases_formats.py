"""Input formats, whole and damaged: what is read has the pixels that were written, what does not decode is skipped."""
import os
import random
import struct
import zlib

import formats as f
from engine import Case
from scenes import Sequence, read_png

W, H = 64, 48
NONE = "frame,m00,m01,m02,m10,m11,m12\n" + "".join("%d,1,0,0,0,1,0\n" % n for n in range(1, 13))
APPLY = ["apply", "--input", "{dir}/in", "--transforms", "{dir}/t.csv", "--mode", "Aligned stack", "--field", "Whole",
         "--rim", "0", "--output", "{dir}/out"]
COLOURS = {320: (3, [v * 257 for _ in range(3) for v in range(256)])}
# A picture whose decoding loses a little is right within this.
LOSSY = 12


def pictures(seed, count=3):
    return Sequence(seed, count, W, H, step=2).frames


def whole_formats():
    """name -> (ending, bytes of a grey picture, what is read from it: grey, deep or rgb, tolerance)."""
    grey16 = lambda p: p.map(1, lambda v: (v * 257,))
    return {
        "png 8": ("png", f.png, "grey", 0),
        "png 16": ("png", lambda p: f.png(grey16(p), 16), "deep", 0),
        "png rgb": ("png", lambda p: f.png(f.rgb(p)), "rgb", 0),
        "png rgb 16": ("png", lambda p: f.png(f.rgb(p).map(3, lambda *v: [x * 257 for x in v]), 16), "rgb", 0),
        "png grey alpha": ("png", lambda p: f.png(p.map(2, lambda v: (v, 90))), "grey", 0),
        "png grey alpha 16": ("png", lambda p: f.png(p.map(2, lambda v: (v * 257, 300)), 16), "deep", 0),
        "png rgb alpha": ("png", lambda p: f.png(f.rgb(p).map(4, lambda r, g, b: (r, g, b, 17))), "rgb", 0),
        "png palette": ("png", lambda p: f.png(p, palette=f.greys()), "rgb grey", 0),
        "png interlaced": ("png", lambda p: f.png(p, interlaced=True), "grey", 0),
        "png interlaced rgb": ("png", lambda p: f.png(f.rgb(p), interlaced=True), "rgb", 0),
        "png 1 bit": ("png", lambda p: f.png(p.map(1, lambda v: (int(v > 120),)), 1), "binary", 0),
        "jpeg grey": ("jpg", f.jpeg, "grey", LOSSY),
        "jpeg colour": ("jpeg", lambda p: f.jpeg(f.rgb(p)), "rgb", LOSSY),
        "jpeg cmyk": ("jpg", lambda p: f.cmyk(p, 0), "rgb grey", LOSSY),
        "jpeg ycck": ("jpg", lambda p: f.cmyk(p, 2), "rgb grey", LOSSY),
        "jpeg exif": ("jpg", lambda p: f.jpeg(p, exif=b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"),
                      "grey", LOSSY),
        "gif": ("gif", f.gif, "rgb grey", 0),
        "gif two frames": ("gif", lambda p: f.gif(p, 2), "rgb grey", 0),
        "bmp 8": ("bmp", f.bmp, "grey", 0),
        "bmp 24": ("bmp", lambda p: f.bmp(f.rgb(p)), "rgb", 0),
        "tiff": ("tif", lambda p: f.tiff([f.page(p)]), "grey", 0),
        "tiff big end": ("tiff", lambda p: f.tiff([f.page(p, ">", rows=7)], ">"), "grey", 0),
        "tiff 16": ("tif", lambda p: f.tiff([f.page(grey16(p), bits=16, rows=5)]), "deep", 0),
        "tiff 16 big end": ("tif", lambda p: f.tiff([f.page(grey16(p), ">", 16)], ">"), "deep", 0),
        "tiff rgb": ("tif", lambda p: f.tiff([f.page(f.rgb(p), rows=11)]), "rgb", 0),
        "tiff rgb planar": ("tif", lambda p: f.tiff([f.page(f.rgb(p), planar=True)]), "rgb", 0),
        "tiff rgb alpha": ("tif", lambda p: f.tiff([f.page(f.rgb(p).map(4, lambda r, g, b: (r, g, b, 9)))]), "rgb", 0),
        "tiff grey alpha": ("tif", lambda p: f.tiff([f.page(p.map(2, lambda v: (v, 9)))]), "grey", 0),
        "tiff white is zero": ("tif", lambda p: f.tiff([f.page(p.map(1, lambda v: (255 - v,)), photometric=0)]), "grey",
                               0),
        "tiff palette": ("tif", lambda p: f.tiff([f.page(p, photometric=3, extra=COLOURS)]), "rgb grey", 0),
        "tiff cmyk": ("tif", lambda p: f.tiff([f.page(p.map(4, lambda v: (255 - v,) * 3 + (0,)), photometric=5)]),
                      "rgb grey", LOSSY),
        "tiff 1 bit": ("tif", lambda p: f.tiff([f.page(p.map(1, lambda v: (int(v > 120),)), bits=1)]), "binary", 0),
        "tiff lzw": ("tif", lambda p: f.tiff([f.page(p, compression=5, rows=9)]), "grey", 0),
        "tiff deflate": ("tif", lambda p: f.tiff([f.page(f.rgb(p), compression=8, rows=9)]), "rgb", 0),
        "tiff deflate 16": ("tif", lambda p: f.tiff([f.page(grey16(p), ">", 16, compression=32946)], ">"), "deep", 0),
        "tiff packbits": ("tif", lambda p: f.tiff([f.page(p, compression=32773, rows=10)]), "grey", 0),
        "tiff jpeg": ("tif", lambda p: f.tiff([f.tiff_jpeg(p)]), "grey", LOSSY),
        "tiff jpeg colour": ("tif", lambda p: f.tiff([f.tiff_jpeg(f.rgb(p))]), "rgb", LOSSY),
        "bigtiff": ("tif", lambda p: f.tiff([f.page(p)], big=True), "grey", 0),
        "bigtiff lzw": ("tif", lambda p: f.tiff([f.page(p, compression=5)], big=True), "grey", 0),
    }


def expected(picture, kind):
    """The samples that a PNG of the frame should hold."""
    if kind == "deep":
        return [v * 257 for v in picture.samples]
    if kind == "rgb":
        return f.rgb(picture).samples
    if kind == "rgb grey":
        return [v for v in picture.samples for _ in range(3)]
    if kind == "binary":
        return [255 * int(v > 120) for v in picture.samples for _ in range(3)]
    return picture.samples


def same(picture, kind, tolerance):
    def valid(path):
        read = read_png(path)
        samples = list(read.samples)
        if read.channels == 4:
            samples = [v for i, v in enumerate(samples) if i % 4 != 3]
        wanted = list(expected(picture, kind))
        if len(samples) == 3 * len(wanted):
            samples = samples[::3]
        if (read.width, read.height) != (picture.width, picture.height) or len(samples) != len(wanted):
            return "%d x %d of %d channels" % (read.width, read.height, read.channels)
        worst = max(abs(a - b) for a, b in zip(samples, wanted))
        return "off by %d grey levels" % worst if worst > tolerance else None
    return valid


def out_folder(folder):
    os.mkdir(os.path.join(folder, "out"))
    os.chmod(os.path.join(folder, "out"), 0o777)


def whole_cases():
    for n, (name, (ending, encode, kind, tolerance)) in enumerate(whole_formats().items()):
        frames = pictures(n)
        files = {"in/f%d.%s" % (i, ending): encode(p) for i, p in enumerate(frames)}
        files["t.csv"] = NONE.encode()
        makes = {"out/frame%05d.png" % (i + 1): same(p, kind, tolerance) for i, p in enumerate(frames)}
        yield Case("formats", "whole " + name, APPLY, files, makes=makes, prepare=out_folder,
                   core=name in ("png grey alpha", "jpeg cmyk", "jpeg ycck", "tiff jpeg", "png 16", "tiff lzw"))


def looks_cases():
    """A file alone: what ImageJ says of its look must not stop what decodes."""
    for n, (name, (ending, encode, _, _)) in enumerate(whole_formats().items()):
        if ending.startswith("tif"):
            yield Case("formats", "ahe of " + name, ["ahe", "--input", "{dir}/a.tif", "--output", "{dir}/o.tif"],
                       {"a.tif": encode(pictures(n, 1)[0])}, makes={"o.tif": None}, check=quiet)


def quiet(run):
    lines = [line for line in run.err.splitlines() if not line.startswith("endorama: ")]
    return "also says %r" % lines[0] if lines else None


# ------------------------------------------------------------------- damage

def damages(rng):
    """name -> (bytes -> bytes, is it certain that such a file is not whole)."""
    def flip(data):
        data = bytearray(data)
        for _ in range(3):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        return bytes(data)

    def zero(data):
        at = rng.randrange(len(data) // 4, len(data) // 2)
        return data[:at] + bytes(len(data) // 8) + data[at + len(data) // 8:]

    def garbage(data):
        at = rng.randrange(len(data) // 3, len(data) // 2)
        return data[:at] + bytes(rng.randrange(256) for _ in range(64)) + data[at + 64:]

    return {"half": (lambda d: d[:len(d) // 2], True), "a tenth short": (lambda d: d[:len(d) - len(d) // 10], True),
            "head alone": (lambda d: d[:24], True), "empty": (lambda d: b"", True),
            "text": (lambda d: b"<html>404</html>" * 9, True), "three bits": (flip, False), "a gap": (zero, False),
            "noise inside": (garbage, False), "doubled": (lambda d: d + d, False)}


def names_or_ok(name, picture, kind, tolerance):
    """A frame whose damage need not show is skipped by name, or written."""
    def check(run):
        if name not in run.err and not os.path.exists(run.path("out/frame00002.png")):
            return "neither written nor named"
        return None
    return check


def damage_cases(seed):
    rng = random.Random(seed)
    for n, (name, (ending, encode, kind, tolerance)) in enumerate(whole_formats().items()):
        frames = pictures(n + 50)
        encoded = [encode(p) for p in frames]
        for damage, (harm, certain) in damages(rng).items():
            bad = "f1." + ending
            files = {"in/f%d.%s" % (i, ending): e for i, e in enumerate(encoded)}
            files["in/" + bad] = harm(encoded[1])
            files["t.csv"] = NONE.encode()
            makes = {"out/frame00001.png": same(frames[0], kind, tolerance),
                     "out/frame00003.png": same(frames[2], kind, tolerance)}
            # The second frame of such a GIF may go; a PNG or a checked strip shows any change.
            sure = certain and not (name == "gif two frames" and damage in ("half", "a tenth short"))
            sure = sure or damage in ("a gap", "noise inside") and ending == "png" and "interlaced" not in name
            yield Case("damaged files", "%s, %s" % (name, damage), APPLY, files, code=(0, "partial"),
                       says=(bad,) if sure else (), makes=makes, prepare=out_folder,
                       check=not_written if sure else names_or_ok(bad, frames[1], kind, tolerance),
                       core=damage == "half" and name in ("tiff", "jpeg grey", "gif", "bmp 8", "tiff lzw", "png 8"))


def not_written(run):
    path = run.path("out/frame00002.png")
    if os.path.exists(path) and any(read_png(path).samples):
        return "the damaged frame is written"
    return None


def commands_on_damage():
    """Every command that reads frames, on a folder with one damaged file, and on one with nothing else."""
    frames = Sequence(3, 6, 96, 72).frames
    whole = {"in/f%d.png" % i: f.png(p) for i, p in enumerate(frames)}
    commands = {
        "mosaic": ["mosaic", "--input", "{dir}/in", "--output", "{dir}/o.png"],
        "quality": ["quality", "--input", "{dir}/in", "--transforms", "{dir}/t.csv"],
        "sweep": ["sweep", "--input", "{dir}/in", "--ranges", "landmarks=6-7"],
        "apply": ["apply", "--input", "{dir}/in", "--transforms", "{dir}/t.csv", "--output", "{dir}/o.png"],
        "exposures": ["exposures", "--input", "{dir}/in"],
        "ahe": ["ahe", "--input", "{dir}/in", "--output", "{dir}/ahe"],
    }
    harms = {"half tiff": ("f3.tif", f.tiff([f.page(frames[3])])[:3000]), "cut jpeg": ("f3.jpg", f.jpeg(frames[3])[:2000]),
             "html": ("f3.png", b"<html>"), "folder": ("f3.png", os.mkdir), "fifo": ("f3.png", os.mkfifo),
             "dangling link": ("f3.png", lambda p: os.symlink("nowhere", p)),
             "loop of links": ("f3.png", lambda p: os.symlink(p, p)), "empty": ("f3.png", b"")}
    for command, args in commands.items():
        for harm, (name, content) in harms.items():
            files = {k: v for k, v in whole.items() if not k.startswith("in/f3")}
            files["in/" + name] = content
            files["t.csv"] = NONE.encode()
            code = (0, 3, "partial") if command == "ahe" else (0, "partial")
            yield Case("damaged files", "%s, %s among others" % (command, harm), args, files, code=code, says=(name,),
                       seconds=40, core=command == "mosaic" and harm in ("fifo", "half tiff"))
            several = {"in/%d%s" % (i, name): content for i in range(3)}
            several["t.csv"] = NONE.encode()
            yield Case("damaged files", "%s, %s alone" % (command, harm), args, several, code=3, says=("in/",),
                       absent=("o.png",), seconds=40, core=command == "apply" and harm == "html")


# -------------------------------------------------------------------- stacks

def stack_kinds():
    return {"imagej": (lambda ps: f.imagej_stack(ps), 1), "imagej 16": (
        lambda ps: f.imagej_stack([f.deep(p) for p in ps], "<", 16), 2),
        "pages": (lambda ps: f.tiff([f.page(p, ">") for p in ps], ">"), 1),
        "pages lzw": (lambda ps: f.tiff([f.page(p, compression=5) for p in ps]), 1),
        "pages deflate": (lambda ps: f.tiff([f.page(f.rgb(p), compression=8) for p in ps]), 1),
        "pages jpeg": (lambda ps: f.tiff([f.tiff_jpeg(p) for p in ps]), 1),
        "pages bigtiff": (lambda ps: f.tiff([f.page(p) for p in ps], big=True), 1)}


def stack_cases():
    """A stack that was cut keeps the frames before the cut, and names those behind."""
    for kind, (encode, _) in stack_kinds().items():
        frames = Sequence(11, 8, 96, 72).frames
        data = encode(frames)
        mosaic = ["mosaic", "--input", "{dir}/s.tif", "--output", "{dir}/o.png", "--table", "{dir}/f.csv"]
        yield Case("stacks", kind + ", whole", mosaic, {"s.tif": data}, says=("8 ok",), makes={"o.png": None})
        for share in (0.02, 0.3, 0.5, 0.7, 0.85, 0.97, 0.999):
            cut = data[:int(len(data) * share)]
            early = share < 0.3
            yield Case("stacks", "%s, %g of it" % (kind, share), mosaic, {"s.tif": cut},
                       code=(3, 4) if early else (0, "partial"), says=(("frame", "s.tif"),),
                       makes={} if early else {"o.png": None, "f.csv": None}, core=share == 0.5 and kind == "imagej")


def tiff_damage_cases(seed):
    """Single fields of a directory made wrong: no hang, no absurd memory, no frame of noise."""
    rng = random.Random(seed)
    frames = pictures(5)
    good = f.png(frames[0])
    data = f.tiff([f.page(frames[1], rows=12)])
    at = struct.unpack_from("<I", data, 4)[0]
    entries = struct.unpack_from("<H", data, at)[0]
    for n in range(entries):
        place = at + 2 + 12 * n
        tag = struct.unpack_from("<H", data, place)[0]
        for what, offset, value in (("count", 4, 0xffffffff), ("count", 4, 0), ("value", 8, 0xffffffff),
                                    ("value", 8, 0), ("value", 8, rng.randrange(1 << 24))):
            wrong = bytearray(data)
            struct.pack_into("<I", wrong, place + offset, value)
            yield Case("damaged files", "tiff tag %d, %s %x" % (tag, what, value), APPLY,
                       {"in/f0.png": good, "in/f1.tif": bytes(wrong), "in/f2.png": good, "t.csv": NONE.encode()},
                       code=(0, "partial"), makes={"out/frame00001.png": same(frames[0], "grey", 0)}, prepare=out_folder,
                       heap="128m", seconds=40)
    loop = bytearray(data)
    struct.pack_into("<I", loop, at + 2 + 12 * entries, at)
    yield Case("damaged files", "tiff with a loop of directories", APPLY,
               {"in/f0.png": good, "in/f1.tif": bytes(loop), "in/f2.png": good, "t.csv": NONE.encode()},
               code=(0, "partial"), makes={"out/frame00003.png": same(frames[0], "grey", 0)}, prepare=out_folder,
               seconds=40, core=True)
    yield Case("stacks", "a loop of directories", ["mosaic", "--input", "{dir}/s.tif", "--output", "{dir}/o.png"],
               {"s.tif": bytes(loop)}, code=(0, 3, 4, "partial"), says=("s.tif",), seconds=40)


# ----------------------------------------------------------------- oversized

def oversized(ending, side):
    """A file whose head says so many pixels; small on the disk."""
    small = pictures(9)[0]
    if ending == "tif":
        tags, strips = f.page(small)
        tags.update({256: (4, [side]), 257: (4, [side])})
        return f.tiff([(tags, strips)])
    if ending == "lzw.tif":
        tags, strips = f.page(small, compression=5)
        tags.update({256: (4, [side]), 257: (4, [side])})
        return f.tiff([(tags, strips)])
    if ending == "jpg":
        data = bytearray(f.jpeg(small))
        at = data.index(b"\xff\xc0")
        struct.pack_into(">HH", data, at + 5, side, side)
        return bytes(data)
    if ending == "gif":
        data = bytearray(f.gif(small))
        struct.pack_into("<HH", data, 6, side, side)
        struct.pack_into("<HH", data, 13 + 768 + 5, side, side)
        return bytes(data)
    if ending == "bmp":
        data = bytearray(f.bmp(small))
        struct.pack_into("<ii", data, 18, side, side)
        return bytes(data)
    # A PNG of one grey really is so large when decoded.
    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    packer = zlib.compressobj(1)
    rows = b"".join(packer.compress(bytes(side + 1)) for _ in range(side)) + packer.flush()
    return b"\x89PNG\r\n\x1a\n" + f.chunk(b"IHDR", head) + f.chunk(b"IDAT", rows) + f.chunk(b"IEND", b"")


def oversized_cases():
    frames = Sequence(3, 6, 96, 72).frames
    for ending, side in (("tif", 60000), ("lzw.tif", 60000), ("jpg", 60000), ("gif", 60000), ("bmp", 60000),
                         ("png", 12000), ("tif", 20000), ("jpg", 20000)):
        huge = oversized(ending, side)
        for place in ("first", "middle", "last"):
            name = {"first": "a", "middle": "f3", "last": "z"}[place] + "." + ending
            files = {"in/f%d.png" % i: f.png(p) for i, p in enumerate(frames) if i != 3 or place != "middle"}
            files["in/" + name] = huge
            yield Case("oversized", "%s of %d, %s" % (ending, side, place),
                       ["mosaic", "--input", "{dir}/in", "--output", "{dir}/o.png", "--transforms", "{dir}/t.csv"],
                       files, code=(0, "partial"), says=(name,), makes={"o.png": None, "t.csv": None}, heap="96m",
                       seconds=60, core=place == "first" and side == 60000)
        yield Case("oversized", "%s of %d, ahe of a folder" % (ending, side),
                   ["ahe", "--input", "{dir}/in", "--output", "{dir}/out"],
                   {"in/f0.png": f.png(frames[0]), "in/h." + ending: huge, "in/z.png": f.png(frames[1])},
                   code=(0, 3, 5, "partial"), says=("h." + ending,), makes={"out/f0.png": None, "out/z.png": None},
                   heap="96m", seconds=60, core=ending == "gif")


# -------------------------------------------------------------------- others

def name_cases():
    frames = Sequence(3, 4, 96, 72).frames
    for name in ("b\u00e4r", "\u5185\u8996", "a b", "-x", "[1]", "a'b", "%s", "$HOME", "a\nb"):
        for locale in ("C", "C.UTF-8"):
            files = {"in/%s%d.png" % (name, i): f.png(p) for i, p in enumerate(frames)}
            yield Case("names", "%r, LC_ALL=%s" % (name, locale),
                       ["mosaic", "--input", "{dir}/in", "--output", "{dir}/o.png"], files, says=("4 ok",),
                       makes={"o.png": None}, environment={"LC_ALL": locale}, script=True,
                       core=name == "b\u00e4r")


def cases(seed):
    for group in (whole_cases(), looks_cases(), damage_cases(seed), commands_on_damage(), stack_cases(), tiff_damage_cases(seed),
                  oversized_cases(), name_cases()):
        yield from group
