"""Transforms of which some are wild, numbers that no file should hold, ranges of frames, many small frames, loops of links."""
import os
import struct

import formats as f
from cases_volumes import FIXED, FILES as VOLUMES, nifti
from engine import Case
from scenes import Sequence, read_png, scene

FRAMES = Sequence(6, 6, 96, 72).frames
LARGE = [scene(3, 700, 480).window(20 + 14 * i, 20, 360, 288) for i in range(2)]
IMAGES = {"in/f%d.png" % i: f.png(p) for i, p in enumerate(FRAMES)}
HEADER = "frame,m00,m01,m02,m10,m11,m12"
APPLY = ["apply", "--input", "{dir}/in", "--transforms", "{dir}/t.csv"]
WILD = {"shift": (1, 0, 1e12, 0, 1, 0), "shift back": (1, 0, 0, 0, 1, -1e12), "scale": (1e9, 0, 0, 0, 1e9, 0),
        "shear": (1, 1e6, 0, 0, 1, 0), "shift of a million": (1, 0, 5e6, 0, 1, 5e6)}


def table(wild, header=HEADER, more=""):
    """Frames that move by two pixels each, and wild rows: number -> the six numbers, or all of the row's text."""
    rows = []
    for n in range(1, len(FRAMES) + 1):
        row = wild.get(n, (1, 0, 2 * n - 2, 0, 1, 0))
        rows.append(row if isinstance(row, str) else "%d,%s%s" % (n, ",".join(map(repr, row)), more))
    return ("\n".join([header] + rows) + "\n").encode()


def wide(least):
    """The picture is as wide as all other frames make it."""
    def valid(path):
        picture = read_png(path)
        return None if picture.width >= least else "%d px wide, at least %d wanted" % (picture.width, least)
    return valid


def wild_cases():
    for kind, row in WILD.items():
        for n in (1, 3, 6):
            files = dict(IMAGES, **{"t.csv": table({n: row})})
            yield Case("apply", "%s in row %d" % (kind, n), APPLY + ["--output", "{dir}/o.png"], files, code=("partial",),
                       says=("frame %d (" % n, "left out"), makes={"o.png": wide(92)}, core=n == 1 and kind == "shift")
            yield Case("apply", "%s in row %d, aligned" % (kind, n),
                       APPLY + ["--mode", "Aligned stack", "--extent", "All", "--output", "{dir}/o.tif"], files,
                       code=("partial",), says=("frame %d (" % n, "left out"), makes={"o.tif": None}, core=n == 3 and kind == "scale")
    header = HEADER + ",registered,h00,h01,h02,h10,h11,h12,h20,h21"
    plain = {n: "%d,1,0,%d,0,1,0,1,1,0,%d,0,1,0,0,0" % (n, n, n) for n in range(1, 7)}
    horizon = {**plain, 4: "4,1,0,0,0,1,0,1,1,0,0,0,1,0,-0.02,0"}
    yield Case("apply", "a horizon within the frame", APPLY + ["--output", "{dir}/o.png"],
               dict(IMAGES, **{"t.csv": table(horizon, header)}), code=("partial",), says=("frame 4 (", "horizon"),
               makes={"o.png": None}, core=True)
    half = {n: (1, 0, 1e12 * n, 0, 1, 0) for n in (1, 3, 5)}
    # Reading what is empty takes no time: 7 s in all, and 25 where all of it is looked at.
    far = "1,1,0,0,0,1,0\n2,1,0,900000,0,1,0\n"
    yield Case("apply", "a panorama of 900,360 x 288 px that is almost empty", APPLY + ["--output", "{dir}/o.png"],
               {"in/a.png": f.png(LARGE[0]), "in/b.png": f.png(LARGE[1]), "t.csv": (HEADER + "\n" + far).encode()},
               says=("panorama    900360 x 288 px",), makes={"o.png": None}, heap="1200m", seconds=18, alone=True)
    yield Case("apply", "half of the rows wild", APPLY + ["--output", "{dir}/o.png"], dict(IMAGES, **{"t.csv": table(half)}),
               code=("partial",), says=("left out",), makes={"o.png": None})
    every = {n: (1, 0, 1e12 * n, 0, 1, 0) for n in range(1, 7)}
    yield Case("apply", "every row wild", APPLY + ["--output", "{dir}/o.png"], dict(IMAGES, **{"t.csv": table(every)}), code=3,
               says=("none of the 6 frames",), absent=("o.png",))
    for row, code in (("0,0,1", 0), ("0,0,NaN", 3), ("0.001,0,1", 3), ("0,0,2", 3), ("x,0,1", 3)):
        rows = {2: "2,1,0,2,0,1,0," + row}
        yield Case("apply", "last row " + row, APPLY + ["--output", "{dir}/o.png"], dict(IMAGES, **{"t.csv": table(
            rows, HEADER + ",m20,m21,m22", ",0,0,1")}), code=code, says=("line 3",) if code else (), core=row == "0,0,NaN")


def number_cases():
    header = HEADER + ",h00,h01,h02,h10,h11,h12,h20,h21"
    rows = {n: "%d,1,0,%d,0,1,0,1,0,%d,0,1,0,0,0" % (n, n, n) for n in range(1, 7)}
    rows[2] = "2,1,0,0,0,1,0,1,0,0,0,1,0,1e300,0"
    for command in ("apply", "quality"):
        output = ["--output", "{dir}/o.png"] if command == "apply" else []
        yield Case("apply", "%s, h20 = 1e300" % command, [command] + APPLY[1:] + output,
                   dict(IMAGES, **{"t.csv": table(rows, header)}), code=3, says=("line 3", "1.0E300"), core=command == "apply")
    tfm = b"#Insight Transform File V1.0\n#Transform 0\nTransform: AffineTransform_double_3_3\n" \
          b"Parameters: 1 0 0 0 1 0 0 0 1 1e12 0 0\nFixedParameters: 0 0 0\n"
    mutual = ["mutual", "--fixed", "{dir}/a.nii", "--moving", "{dir}/b.nii.gz", "--backend", "CPU", "--transforms", "{dir}/t.json"]
    yield Case("apply", "a .tfm of 1e12", mutual + ["--initial", "{dir}/i.tfm"], dict(VOLUMES, **{"i.tfm": tfm}), code=3,
               says=("1e12",), absent=("t.json",), core=True)
    tiny = nifti(FIXED, **{"at%d" % (280 + 20 * i): ("f", 1e-30) for i in range(3)}, at254=("h", 1))
    yield Case("apply", "voxels of 1e-30 mm", mutual, dict(VOLUMES, **{"a.nii": tiny}), code=(0, 4), says=("cannot be",), core=True)
    for name, values in (("1e301", [1e301 * (i % 7) for i in range(len(FIXED))]), ("1e-301", [1e-301 * (i % 7) for i in
                                                                                          range(len(FIXED))])):
        yield Case("apply", "a volume of " + name, mutual + ["--output", "{dir}/o.nii"],
                   dict(VOLUMES, **{"b.nii.gz": nifti(values, 64)}), code=3, says=("its values go from",), absent=("o.nii",),
                   core=name == "1e301")


def range_cases():
    for text in ("0", "5-2", "1-99999999999", "3-:2x", "1-10:99:2", "7", "1-7", "9-", "\u0663-\u0665", ":0", "1:", "1-3-5",
                 "1,", ",2", "1,,2", "1,5-2", "1,9-", "1e3", "+1-3", "99999999999999999999"):
        yield Case("apply", "frames %r" % text, APPLY + ["--output", "{dir}/o.png", "--frames=" + text],
                   dict(IMAGES, **{"t.csv": table({})}), code=2, says=("frames",), absent=("o.png",),
                   environment={"LC_ALL": "C.UTF-8"}, core=text in ("0", "1-99999999999"))
    for text in ("3-:2", "-1", ":2", "1-6:99", "2-", " 1-3 ", "6", "1,2", "1,4-6"):
        yield Case("apply", "frames %r" % text, APPLY + ["--output", "{dir}/o.png", "--frames=" + text],
                   dict(IMAGES, **{"t.csv": table({})}), code=(0, "partial"), makes={"o.png": None})


def many_cases():
    small = [f.png(p) for p in Sequence(3, 40, 64, 48, step=2).frames]
    there_and_back = list(range(40)) + list(range(38, 0, -1))
    yield Case("apply", "3000 small frames", ["mosaic", "--input", "{dir}/in", "--output", "{dir}/o.png", "--transforms",
                                             "{dir}/o.csv"],
               lambda: {"in/f%05d.png" % n: small[there_and_back[n % len(there_and_back)]] for n in range(3000)},
               code=(0, "partial"), makes={"o.png": None, "o.csv": None}, seconds=240)
    yield Case("apply", "loops of links", ["mosaic", "--input", "{dir}/in/loop/loop/loop", "--output", "{dir}/o.png"],
               dict(IMAGES, **{"in/loop": lambda p: os.symlink(".", p), "in/f9.png": lambda p: os.symlink("f9.png", p)}),
               code=("partial",), says=("f9.png",), makes={"o.png": None})
    yield Case("apply", "a path that is a loop", ["mosaic", "--input", "{dir}/x/in", "--output", "{dir}/o.png"],
               {"x": lambda p: os.symlink("x", p)}, code=3, says=("no such file",))
    yield Case("apply", "a first frame of another size", ["mosaic", "--input", "{dir}/in", "--output", "{dir}/o.png"],
               dict(IMAGES, **{"in/a.png": f.png(Sequence(3, 2, 200, 100).frames[0])}), code=("partial",), says=("a.png",),
               makes={"o.png": None}, core=True)
    webp = b"RIFF" + struct.pack("<I", 26) + b"WEBPVP8L" + struct.pack("<I", 13) + b"\x2f" + bytes(17)
    for name, data in (("WebP", webp), ("HEIC", b"\0\0\0\x18ftypheic" + bytes(50)), ("PDF", b"%PDF-1.4\n" + bytes(50))):
        yield Case("apply", name + " that is named .png", ["mosaic", "--input", "{dir}/in", "--output", "{dir}/o.png"],
                   dict(IMAGES, **{"in/z.png": data}), code=("partial",), says=("z.png",), makes={"o.png": None})


def cases(seed):
    for group in (wild_cases(), number_cases(), range_cases(), many_cases()):
        yield from group
