"""Options that are not allowed, and files of transforms that are no such."""
import formats as f
import stages
from engine import Case
from scenes import Sequence

FRAMES = Sequence(6, 4, 96, 72).frames
FILES = {"in/f%d.png" % i: f.png(p) for i, p in enumerate(FRAMES)}
FILES["t.csv"] = ("frame,m00,m01,m02,m10,m11,m12\n" + "".join("%d,1,0,%d,0,1,0\n" % (n, n) for n in range(1, 5))).encode()

PAIRS = stages.pairs(4, 96, 72)
PLACES = stages.places(4, 96, 72)
FILES["pairs.json"] = stages.text(PAIRS)
FILES["places.json"] = stages.text(PLACES)

BASE = {
    "mosaic": "--input {dir}/in --output {dir}/o.png",
    "register": "--input {dir}/in --pairs {dir}/o",
    "solve": "--pairs {dir}/pairs.json --places {dir}/o",
    "paint": "--input {dir}/in --places {dir}/places.json --output {dir}/o.png",
    "quality": "--input {dir}/in --transforms {dir}/t.csv",
    "sweep": "--input {dir}/in",
    "apply": "--input {dir}/in --transforms {dir}/t.csv --output {dir}/o.png",
    "exposures": "--input {dir}/in",
    "ahe": "--input {dir}/in --output {dir}/o",
    "demo-sequence": "--output {dir}/o",
}
# option -> values that no command allows.
WRONG = {
    "template": ("1", "2", "16", "-15", "257", "1e9", "x", "", "15.5", "NaN"),
    "cross": ("0", "3", "129", "256", "-4", "x"),
    "landmarks": ("1", "65", "0", "-8", "x", "8.5", "99999999999999999999"),
    "cthresh": ("1.01", "-1.01", "NaN", "Infinity", "x", ""),
    "uthresh": ("0", "-1", "1001", "NaN", "1e400"),
    "guarantee": ("-0.1", "1.1", "NaN", "0,2"),
    "iir": ("-1", "256", "4.5"),
    "rim": ("-1", "1001", "x"),
    "max_canvas": ("0", "4001", "-1", "1.5"),
    "threads": ("-1", "257", "x", "2147483648"),
    "backend": ("GPU", "", "OpenCL", "cpu,cuda"),
    "field": ("Circle", "", "0"),
    "exclude": ("0", "x", "5-3", "1,,2", "99", "1-4"),
    "painting": ("Over", ""),
    "warp": ("Perspective", "rigid!"),
    "lens": ("41", "-40.5", "NaN", "x"),
    "solve": ("Local", ""),
    "scale": ("0.2", "4.1", "NaN"),
    "instruments": ("Leave", "1"),
    "relief": ("Automatic", "1"),
    "light": ("Uneven", "1"),
    "extra": ("All", "-"),
    "interpolation": ("Nearest", ""),
    "pattern": ("Whole", "0"),
    "extent": ("Whole", ""),
    "peak": ("Half", "1"),
    "initial": ("Flow?", "-"),
    "distance": ("0", "1001", "-1", "x"),
    "mode": ("Stack of", "none!"),
    "ranges": ("template", "template=", "template=15-", "x=1-2", "template=47-15", "template=15-47:0",
               "landmarks=2-64:0.0001 template=15-255:0.001", "template=15,,17", "field=1,2"),
    "search": ("0", "513", "-3", "x"),
    "tolerance": ("-1", "128"),
    "bins": ("0", "63", "128"),
    "reference": ("0", "Last", "-1", "1000001"),
    "period": ("-1", "1001"),
    "percentile": ("0.5", "Mean"),
    "window": ("2", "1", "64", "1025", "-63", "x"),
    "limit": ("1", "0.5", "-2", "1001", "NaN"),
    "method": ("Tiles", ""),
    "width": ("63", "4097", "0", "x", "-720"),
    "height": ("63", "4097", "64.5"),
    "frames": ("1", "100001", "-5", "x"),
    "path": ("Circle", "2"),
    "step": ("-1", "65", "NaN"),
    "rotation": ("-1", "181"),
    "zoom": ("-1", "51"),
    "noise": ("-1", "65"),
    "flicker": ("-1", "51"),
    "highlights": ("-1", "1001"),
    "seed": ("-1", "1000000000", "x"),
}
TAKES = {
    "mosaic": "template cross landmarks cthresh uthresh guarantee iir rim max_canvas threads backend field painting warp"
              " peak initial lens solve scale light extra interpolation pattern exclude",
    "register": "template landmarks warp initial threads field lens exclude",
    "paint": "rim max_canvas painting threads scale",
    "quality": "distance field threads lens",
    "sweep": "ranges template",
    "apply": "mode painting rim max_canvas lens extent",
    "exposures": "search tolerance bins reference period percentile mode threads",
    "ahe": "window limit method field threads",
    "demo-sequence": "width height frames path step rotation zoom noise flicker highlights seed",
}


def option_cases():
    for command, options in TAKES.items():
        for option in options.split():
            for value in WRONG[option]:
                yield Case("options", "%s --%s=%s" % (command, option, value),
                           [command] + BASE[command].split() + ["--%s=%s" % (option, value)], FILES, code=2,
                           says=(option,), absent=("o.png", "o"), seconds=40)


def usage_cases():
    for command, base in BASE.items():
        words = base.split()
        for name, args in (("unknown option", words + ["--colour", "red"]), ("value without option", words + ["red"]),
                           ("nothing", []), ("without the first", words[2:]), ("twice", words + words[:2]),
                           ("option without value", words + ["--threads"])):
            code = (2, 3) if name == "without the first" else 2
            if command in ("quality", "sweep", "register", "solve", "paint") and name == "without the first":
                code = 2
            yield Case("options", "%s, %s" % (command, name), [command] + args, FILES, code=code,
                       absent=("o.png", "o"), core=name == "nothing")
        yield Case("options", command + " --help", [command, "--help"], says=("Usage",))
    for name, args in (("no command", []), ("unknown command", ["stitch"]), ("unknown option", ["--fast"])):
        yield Case("options", name, args, code=2)
    yield Case("options", "--version", ["--version"], says=("Endorama",))


HEAD = "frame,m00,m01,m02,m10,m11,m12\n"
# name -> content, exit codes, word of the message.
TRANSFORMS = {
    "empty": (b"", 3, "t."), "head alone": (HEAD.encode(), (3, 4), "t."), "another head": (b"a,b\n1,2\n", 3, "line 1"),
    "a column less": (HEAD.encode() + b"1,1,0,0,0,1\n", 3, "line 2"),
    "text for a number": (HEAD.encode() + b"1,1,0,x,0,1,0\n", 3, "line 2"),
    "NaN": (HEAD.encode() + b"1,1,0,NaN,0,1,0\n", 3, "line 2"),
    "Infinity": (HEAD.encode() + b"1,1,0,Infinity,0,1,0\n", 3, "line 2"),
    "1e999": (HEAD.encode() + b"1,1,0,1e999,0,1,0\n", 3, "line 2"),
    "frame 0": (HEAD.encode() + b"0,1,0,0,0,1,0\n", 3, "line 2"),
    "frame -1": (HEAD.encode() + b"-1,1,0,0,0,1,0\n", 3, "line 2"),
    "frame 1.5": (HEAD.encode() + b"1.5,1,0,0,0,1,0\n", 3, "line 2"),
    "twice": (HEAD.encode() + b"1,1,0,0,0,1,0\n1,1,0,9,0,1,0\n", 3, "line 3"),
    "zeros": (b"\0" * 500, 3, "t."), "a picture": (f.png(FRAMES[0]), 3, "t."),
    "hard to fit": (HEAD.encode() + b"1,1,0,0,0,1,0\n2,1,0,1e8,0,1,0\n", ("any",), ""),
    "singular": (HEAD.encode() + b"1,1,0,0,0,1,0\n2,0,0,0,0,0,0\n", ("any",), ""),
    "huge scale": (HEAD.encode() + b"1,1e6,0,0,0,1e6,0\n", ("any",), ""),
    "windows": (b"\xef\xbb\xbf" + HEAD.replace("\n", "\r\n").encode() + b"1,1,0,0,0,1,0\r\n", (0, 3, 4, "partial"), ""),
    "positions without any": (b"dim = 2\n", 3, "holds no position"),
    "positions of volumes": (b"dim = 3\na; ; (0, 0, 0)\n", 3, "line 1"),
    "landmarks cut": (b"MultiStackReg Transformation File\nFile Version 1.0\n0\nAFFINE\n", 3, "truncated"),
    "landmarks of a pair cut": (b"Transformation\nRIGID_BODY\n", 3, "truncated"),
    "utf-16": (HEAD.encode("utf-16") + "1,1,0,0,0,1,0\n".encode("utf-16"), 3, "t."),
}
JSON = {
    "empty": b"", "text": b"hello", "array": b"[]", "no frames": b"{}", "null": b"null",
    "null matrix": b'{"transforms":[{"frame":1,"matrix":null}]}', "null in matrix":
        b'{"transforms":[{"frame":1,"matrix":[1,0,null,0,1,0]}]}', "short matrix":
        b'{"transforms":[{"frame":1,"matrix":[1,0]}]}', "deep": b"[" * 100000, "open": b'{"transforms":[',
    "null list": b'{"transforms":null}', "text matrix": b'{"transforms":[{"frame":1,"matrix":"a"}]}',
    "null frame": b'{"transforms":[{"frame":null,"matrix":[1,0,0,0,1,0]}]}', "NaN":
        b'{"transforms":[{"frame":1,"matrix":[1,0,NaN,0,1,0]}]}',
}


def transform_cases():
    for command in ("apply", "quality"):
        for kind, table in (("csv", TRANSFORMS), ("json", {k: (v, 3, "t.json") for k, v in JSON.items()})):
            for name, (content, code, word) in table.items():
                args = [command, "--input", "{dir}/in", "--transforms", "{dir}/t." + kind]
                if command == "apply":
                    args += ["--output", "{dir}/o.png", "--max_canvas", "20"]
                files = {k: v for k, v in FILES.items() if k != "t.csv"}
                files["t." + kind] = content
                yield Case("transforms", "%s, %s %s" % (command, kind, name), args, files, code=code, says=(word,),
                           core=name in ("null in matrix", "NaN"))
    for kind, how in (("folder", "in"), ("nothing", "none.csv")):
        yield Case("transforms", "apply, " + kind, ["apply", "--input", "{dir}/in", "--transforms", "{dir}/" + how,
                                                    "--output", "{dir}/o.png"], FILES, code=(2, 3), says=(how,))


def stage_cases():
    for command, option, whole in (("solve", "pairs", PAIRS), ("paint", "places", PLACES)):
        for name, content in stages.damaged(whole).items():
            files = dict(FILES, **{option + ".json": content})
            yield Case("stages", "%s, %s %s" % (command, option, name), [command] + BASE[command].split(), files, code=3,
                       says=(option + ".json",), absent=("o", "o.png"), core=name == "cut")
    for name, (content, word) in stages.damaged_links(4).items():
        yield Case("stages", "solve, links " + name, ["solve"] + BASE["solve"].split() + ["--links", "{dir}/l.csv"],
                   dict(FILES, **{"l.csv": content}), code=(2, 3), says=("l.csv", word), absent=("o",), core=name == "cut")
    for name, args in (("all", []), ("without one", ["--exclude", "2"])):
        yield Case("stages", "mosaic, links, " + name, ["mosaic"] + BASE["mosaic"].split() + ["--links", "{dir}/l.csv"] + args,
                   dict(FILES, **{"l.csv": stages.links(4)}), code=(0, 6))
    for command, option in (("solve", "pairs"), ("paint", "places")):
        for how in ("in", "none.json"):
            args = [command] + BASE[command].replace(option + ".json", how).split()
            yield Case("stages", "%s, %s %s" % (command, option, how), args, FILES, code=(2, 3), says=(how,),
                       absent=("o", "o.png"))
    for name, files in (("of another size", {"in/f%d.png" % i: f.png(p) for i, p in
                                              enumerate(Sequence(6, 4, 100, 72).frames)}),
                        ("one less", {k: v for k, v in FILES.items() if k.startswith("in/") and k != "in/f3.png"})):
        yield Case("stages", "paint, frames " + name, ["paint"] + BASE["paint"].split(),
                   dict(files, **{"places.json": FILES["places.json"]}), code=3, says=("the places are of 4 frames",),
                   absent=("o.png",))


def cases(seed):
    yield from stage_cases()
    yield from option_cases()
    yield from usage_cases()
    yield from transform_cases()
