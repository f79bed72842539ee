"""Volumes in NIfTI files, whole and damaged, and the command that registers them by mutual information."""
import gzip
import math
import random
import signal
import struct

import formats as f
from cases_paths import starts
from engine import Case
from scenes import Sequence

SIDES = (24, 22, 12)
# NIfTI's number of a type -> its letter in struct.
LETTERS = {2: "B", 4: "h", 8: "i", 16: "f", 64: "d", 256: "b", 512: "H", 768: "I", 1024: "q", 1280: "Q"}


def phantom(second, shift=0.0):
    """Values 0..100 of soft spots; the second modality shows the same things in other values."""
    rng = random.Random(3)
    spots = [[rng.uniform(0.2, 0.8) * s for s in SIDES] + [rng.uniform(2, 5), rng.random()] for _ in range(16)]
    w, h, d = SIDES
    values = []
    for z in range(d):
        for y in range(h):
            for x in range(w):
                value = 0.3 if math.hypot(x - w / 2 - shift, y - h / 2, 2 * (z - d / 2)) < 11 else 0.0
                for a, b, c, r, v in spots:
                    if (x - shift - a) ** 2 + (y - b) ** 2 + 4 * (z - c) ** 2 < r * r:
                        value = 0.2 + 0.8 * v
                values.append(int(100 * (1.05 - math.sqrt(value) if second and value else value)) + rng.randrange(3))
    return values


def nifti(values, kind=2, order="<", sides=SIDES, spacing=(2, 2, 4), **fields):
    """fields: offset in the header -> (letter, value), with a name before the number: at70=("h", 5)."""
    h = bytearray(352)
    struct.pack_into(order + "i", h, 0, 348)
    struct.pack_into(order + "8h", h, 40, len(sides), *(list(sides) + [1] * (7 - len(sides))))
    struct.pack_into(order + "hh", h, 70, kind, 8 * struct.calcsize(LETTERS.get(kind, "B")))
    struct.pack_into(order + "4f", h, 76, 1, *spacing)
    struct.pack_into(order + "f", h, 108, 352)
    h[123] = 2
    h[344:347] = b"n+1"
    for name, (letter, value) in fields.items():
        struct.pack_into(order + letter, h, int(name[2:]), value)
    return bytes(h) + struct.pack(order + "%d%s" % (len(values), LETTERS.get(kind, "B")), *values)


FIXED, MOVING = phantom(False), phantom(True, 1.5)
FILES = {"a.nii": nifti(FIXED), "b.nii.gz": gzip.compress(nifti(MOVING, 4, ">"), mtime=0)}
BASE = ["mutual", "--fixed", "{dir}/a.nii", "--moving", "{dir}/b.nii.gz", "--backend", "CPU"]
WHOLE = {"o.nii": starts(struct.pack("<i", 348)), "t.csv": starts(b"frame,")}
BOTH = BASE + ["--output", "{dir}/o.nii", "--table", "{dir}/t.csv"]


def whole_cases():
    for kind in LETTERS:
        for order in "<>":
            for packed in (False, True):
                data = nifti(MOVING, kind, order)
                name = "m.nii.gz" if packed else "m.nii"
                files = {"a.nii": FILES["a.nii"], name: gzip.compress(data, mtime=0) if packed else data}
                args = [w.replace("b.nii.gz", name) for w in BOTH]
                yield Case("volumes", "type %d %s %s" % (kind, order, name), args, files, says=("1 of 1",), makes=WHOLE,
                           core=kind == 16 and order == ">" and packed)
    for name, head in (("o.nii.gz", b"\x1f\x8b"), ("o.tif", (b"II*", b"MM\0*"))):
        yield Case("volumes", "output " + name, BASE + ["--output", "{dir}/" + name], FILES, makes={name: starts(head)})
    for name, head in (("t.tfm", b"#Insight"), ("t.json", b"{")):
        yield Case("volumes", "transforms " + name, BASE + ["--transforms", "{dir}/" + name], FILES,
                   makes={name: starts(head)})
    yield Case("volumes", "overlay", BASE + ["--overlay", "{dir}/o.png"], FILES, makes={"o.png": starts(b"\x89PNG")})
    series = nifti(MOVING + phantom(True, -1.0), sides=SIDES + (2,))
    yield Case("volumes", "a series", [w.replace("b.nii.gz", "s.nii") for w in BOTH],
               {"a.nii": FILES["a.nii"], "s.nii": series}, says=("2 of 2",), makes=WHOLE)
    floats = [float("nan") if i % 97 == 0 else v for i, v in enumerate(MOVING)]
    yield Case("volumes", "NaN", [w.replace("b.nii.gz", "n.nii") for w in BOTH],
               {"a.nii": FILES["a.nii"], "n.nii": nifti(floats, 16)}, says=("NaN",), makes=WHOLE, core=True)


# name -> fields of a header that is wrong, and a word of the message.
HEADERS = {
    "10^12 voxels": ({"at40": ("h", 4), "at42": ("h", 1000), "at44": ("h", 1000), "at46": ("h", 1000),
                      "at48": ("h", 1000)}, "claims"),
    "a wide volume": ({"at42": ("h", 16000), "at44": ("h", 16000)}, "voxels"),
    "a side of 32767": ({"at42": ("h", 32767)}, "32767"), "a side of 0": ({"at44": ("h", 0)}, "dimension 2 is 0"),
    "a side of -5": ({"at46": ("h", -5)}, "dimension 3 is -5"), "no dimensions": ({"at40": ("h", 0)}, "0 dimensions"),
    "9 dimensions": ({"at40": ("h", 9)}, "9 dimensions"), "type 32": ({"at70": ("h", 32)}, "type 32"),
    "type 0": ({"at70": ("h", 0)}, "type 0"), "NIfTI-2": ({"at0": ("i", 540)}, "NIfTI-2"),
    "no NIfTI": ({"at0": ("i", 7)}, "not NIfTI"), "no magic": ({"at344": ("i", 0)}, "not NIfTI"),
    "two files": ({"at344": ("B", ord("n")), "at345": ("B", ord("i"))}, ".img"),
    "voxels at NaN": ({"at108": ("f", float("nan"))}, "NaN"), "voxels at 0": ({"at108": ("f", 0)}, "byte 0"),
    "voxels behind the end": ({"at108": ("f", 1e6)}, "cannot hold"), "vectors": ({"at40": ("h", 5), "at48": ("h", 1),
                                                                              "at50": ("h", 3)}, "dimension 5"),
}


def damage_cases(seed):
    def case(name, data, ending="nii", code=3, says=("d.",), **more):
        args = [w.replace("b.nii.gz", "d." + ending) for w in BOTH]
        return Case("damaged volumes", name, args, {"a.nii": FILES["a.nii"], "d." + ending: data}, code=code, says=says,
                    absent=("o.nii", "t.csv") if code == 3 else (), heap="64m", seconds=40, **more)

    for name, (fields, word) in HEADERS.items():
        data = nifti(MOVING, **fields)
        yield case(name, data, says=(word,), core=name == "10^12 voxels")
        # A packed file may hold much more than its own bytes.
        yield case(name + ", packed", gzip.compress(data, mtime=0), "nii.gz", says=((word, "truncated"),))
    good = nifti(MOVING)
    packed = gzip.compress(good, mtime=0)
    for share in (0, 0.02, 0.1, 0.5, 0.99):
        yield case("%g of it" % share, good[:int(share * len(good))])
        yield case("%g of it packed" % share, packed[:int(share * len(packed))], "nii.gz", core=share == 0.5)
    wrong = bytearray(packed)
    wrong[-6] ^= 1
    yield case("a wrong check sum", bytes(wrong), "nii.gz", says=("damaged",))
    yield case("packed, with another name", packed, "nii", code=0, says=("1 of 1",))
    rng = random.Random(seed)
    for n in range(24):
        wrong = bytearray(good)
        for _ in range(rng.randrange(1, 6)):
            wrong[rng.randrange(348)] = rng.randrange(256)
        yield case("bytes of the header, %d" % n, bytes(wrong), code=("any",), says=())
    for n in range(12):
        wrong = bytearray(packed)
        for _ in range(rng.randrange(1, 6)):
            wrong[rng.randrange(len(wrong))] = rng.randrange(256)
        yield case("bytes of the packed file, %d" % n, bytes(wrong), "nii.gz", code=("any",), says=())
    yield case("constant", nifti([7] * len(MOVING)), code=4, says=("no content",))
    far = nifti(MOVING, at254=("h", 1), at280=("f", 2), at300=("f", 2), at320=("f", 4), at292=("f", 5000))
    near = nifti(FIXED, at254=("h", 1), at280=("f", 2), at300=("f", 2), at320=("f", 4))
    yield Case("damaged volumes", "without overlap", [w.replace("b.nii.gz", "d.nii") for w in BOTH] + ["--starts", "1"],
               {"a.nii": near, "d.nii": far}, code=4, says=("no overlap",), absent=("o.nii",))


WRONG = {"dimensions": ("4D", ""), "model": ("Elastic", ""), "bins": ("15", "257", "x", "64.5"), "measure": ("SSD",),
         "interpolation": ("Cubic",), "optimizer": ("Adam", ""), "levels": ("-1", "9", "x"), "starts": ("0", "4097", "Far"),
         "initial": ("Nowhere", "0"), "samples": ("Some",), "mode": ("Aligned",), "threads": ("-1", "257"),
         "backend": ("GPU",)}


def option_cases():
    for option, values in WRONG.items():
        for value in values:
            yield Case("options", "mutual --%s=%s" % (option, value), BOTH + ["--%s=%s" % (option, value)], FILES, code=2,
                       says=(option,), absent=("o.nii", "t.csv"), seconds=40)
    for name, args, code in (("nothing", ["mutual"], 2), ("without moving", BASE[:3], 2), ("--help", ["mutual", "--help"], 0),
                             ("another title", BASE + ["--output", "{dir}/o.jpg"], 2), ("CSV", BASE +
                             ["--transforms", "{dir}/t.csv"], 2), ("no file", ["mutual", "--fixed", "{dir}/a.nii", "--moving",
                                                                               "{dir}/gone.nii"], 3)):
        yield Case("options", "mutual, " + name, args, FILES, code=code, absent=("o.jpg", "t.csv"))
    for name, content in (("empty", b""), ("text", b"hello"), ("a picture", f.png(Sequence(6, 1, 16, 16).frames[0])),
                          ("numbers missing", b"#Insight Transform File V1.0\nTransform: AffineTransform_double_3_3\n"
                           b"Parameters: 1 0 0\nFixedParameters: 0 0 0\n"),
                          ("flat", b"#Insight Transform File V1.0\nTransform: AffineTransform_double_3_3\n"
                           b"Parameters: 0 0 0 0 0 0 0 0 0 1 2 3\nFixedParameters: 0 0 0\n"), ("deep", b"[" * 100000)):
        for ending in ("tfm", "json"):
            yield Case("transforms", "mutual, initial %s %s" % (ending, name), BASE + ["--initial", "{dir}/i." + ending],
                       dict(FILES, **{"i." + ending: content}), code=3, says=("i." + ending,))


def path_cases():
    for options in (("=a.nii", "--output"), ("=b.nii.gz", "--output"), ("=a.nii", "--table"), ("=b.nii.gz", "--overlay"),
                    ("o.nii", "--output", "--table"), ("o.json", "--transforms", "--table")):
        args = BASE + [w for option in options[1:] for w in (option, "{dir}/" + options[0].lstrip("="))]
        yield Case("paths", "mutual %s: %s" % (" ".join(options[1:]), options[0]), args, FILES, code=2,
                   absent=() if options[0].startswith("=") else (options[0],), core=options[0] == "=a.nii")
    for state, shell in (("output closed", "{} >&-"), ("both full", "{} >/dev/full 2>&1"), ("input closed", "{} <&-")):
        yield Case("streams", "mutual, " + state, BOTH, FILES, code="any" if "full" in shell or ">&-" in shell else 0,
                   shell=shell, makes=WHOLE)


def limit_cases(seed):
    for heap in ("6m", "9m", "13m", "40m"):
        yield Case("memory", "mutual, heap " + heap, BOTH, FILES, heap=heap, code=(0, 1, 3, 4, 5))
    rng = random.Random(seed)
    slow = BOTH + ["--starts", "4000", "--bins", "240"]
    old = {"o.nii": b"old volume", "t.csv": b"old table"}

    def whole(run):
        for name, content in old.items():
            with open(run.path(name), "rb") as file:
                data = file.read()
            if data != content and not data.startswith((struct.pack("<i", 348), b"frame,")):
                return "%s is neither the old one nor whole" % name
        return "it took %.1f s to end" % run.answer if run.answer > 5 else None

    for sent in (signal.SIGINT, signal.SIGTERM):
        for n in range(3):
            delay = 0.2 + 0.5 * n + 0.3 * rng.random()
            yield Case("signals", "mutual, %s after %.2f s" % (sent.name, delay), slow, dict(FILES, **old), code=("any",),
                       changes=tuple(old), interrupt=(sent, delay), check=whole, core=n == 1)


def cases(seed):
    yield from whole_cases()
    yield from damage_cases(seed)
    yield from option_cases()
    yield from path_cases()
    yield from limit_cases(seed)
