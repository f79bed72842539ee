"""Outputs that would overwrite an input or each other, links, devices and pipes."""
import os
import stat

import formats as f
import stages
from engine import Case
from scenes import Sequence

T = "frame,m00,m01,m02,m10,m11,m12\n" + "".join("%d,1,0,%d,0,1,0\n" % (n, 2 * n) for n in range(1, 9))
FRAMES = Sequence(6, 5, 96, 72).frames
FOLDER = {"in/frame%05d.png" % (i + 1): f.png(p) for i, p in enumerate(FRAMES)}
STACK = {"s.tif": f.imagej_stack(FRAMES)}
BOTH = dict(FOLDER, **STACK)
BOTH["t.csv"] = T.encode()
BOTH["pairs.json"] = stages.text(stages.pairs(5, 96, 72))
BOTH["places.json"] = stages.text(stages.places(5, 96, 72))
BOTH["l.csv"] = stages.links(5)
BOTH["m.png"] = f.png(FRAMES[0].map(1, lambda v: (255,)))

# command, its other arguments, and pairs of options that name the same file; a first one that starts with = is a path
# among the inputs.
OVERLAPS = (
    ("mosaic", "--input {dir}/in", (("=in/frame00003.png", "--output"), ("=in/frame00001.png", "--table"),
                                    ("=in/frame00002.png", "--transforms"), ("=in/frame00002.png", "--json"))),
    ("mosaic", "--input {dir}/s.tif", (("=s.tif", "--output"), ("=s.tif", "--transforms"), ("=s.tif", "--table"),
                                       ("=s.tif", "--json"))),
    ("mosaic", "--input {dir}/in --mask {dir}/m.png --field Selection", (("=m.png", "--output"), ("=m.png", "--table"))),
    ("mosaic", "--input {dir}/in --output {dir}/o.png", (("o.csv", "--transforms", "--table"),
                                                         ("o.json", "--transforms", "--json"),
                                                         ("o.json", "--table", "--json"), ("o.png", "--transforms"),
                                                         ("o.png", "--table"), ("o.png", "--json"))),
    ("mosaic", "--input {dir}/in --output {dir}/o.ome.tif --extra Both", (("o-coverage.ome.tif", "--transforms"),
                                                                          ("o-uncertainty.ome.tif", "--table"))),
    ("register", "--input {dir}/in", (("=in/frame00003.png", "--pairs"),)),
    ("register", "--input {dir}/s.tif", (("=s.tif", "--pairs"),)),
    ("register", "--input {dir}/in --pairs {dir}/o.json", (("=in/frame00003.png", "--links"), ("o.json", "--links"))),
    ("solve", "--pairs {dir}/pairs.json", (("=pairs.json", "--places"),)),
    ("solve", "--pairs {dir}/pairs.json --links {dir}/l.csv", (("=l.csv", "--places"),)),
    ("mosaic", "--input {dir}/in --links {dir}/l.csv", (("=l.csv", "--output"), ("=l.csv", "--table"))),
    ("solve", "--pairs {dir}/pairs.json --places {dir}/o.json", (("=pairs.json", "--transforms"), ("=pairs.json", "--table"),
                                                                 ("o.json", "--transforms"),
                                                                 ("o.csv", "--transforms", "--table"))),
    ("paint", "--input {dir}/in --places {dir}/places.json", (("=in/frame00002.png", "--output"),)),
    ("paint", "--input {dir}/s.tif --places {dir}/places.json", (("=s.tif", "--output"),)),
    ("paint", "--input {dir}/in --places {dir}/places.json --output {dir}/o.png", (
        ("=places.json", "--transforms"), ("=places.json", "--json"), ("=in/frame00001.png", "--table"),
        ("o.png", "--json"), ("o.csv", "--transforms", "--table"))),
    ("paint", "--input {dir}/in --places {dir}/places.json --output {dir}/o.png --extra Coverage", (
        ("o-coverage.png", "--overlay"),)),
    ("quality", "--input {dir}/in --transforms {dir}/t.csv", (("=t.csv", "--table"), ("=in/frame00002.png", "--table"))),
    ("quality", "--input {dir}/s.tif --transforms {dir}/t.csv", (("=s.tif", "--table"),)),
    ("sweep", "--input {dir}/in --ranges landmarks=6-7", (("=in/frame00002.png", "--table"),)),
    ("sweep", "--input {dir}/s.tif --ranges landmarks=6-7", (("=s.tif", "--table"),)),
    ("apply", "--input {dir}/in --transforms {dir}/t.csv", (("=in/frame00002.png", "--output"),)),
    ("apply", "--input {dir}/s.tif --transforms {dir}/t.csv", (("=s.tif", "--output"),)),
    ("apply", "--input {dir}/s.tif --transforms {dir}/t.csv --mode Alignedstack", (("=s.tif", "--output"),)),
    ("apply", "--input {dir}/in --transforms {dir}/t.csv --mode Alignedstack", (("=in", "--output"),)),
    ("exposures", "--input {dir}/in", (("=in", "--output"), ("=in/frame00001.png", "--table"),
                                       ("=in/frame00001.png", "--transforms"), ("o.csv", "--table", "--transforms"))),
    ("exposures", "--input {dir}/s.tif", (("=s.tif", "--output"), ("=s.tif", "--table"), ("=s.tif", "--transforms"))),
    ("exposures", "--input {dir}/in --output {dir}/o.tif", (("o.tif", "--table"), ("o.tif", "--transforms"))),
    ("ahe", "--input {dir}/in", (("=in", "--output"),)),
    ("ahe", "--input {dir}/s.tif", (("=s.tif", "--output"),)),
    ("ahe", "--input {dir}/in/frame00001.png", (("=in/frame00001.png", "--output"),)),
    ("demo-sequence", "--output {dir}/d.tif --width 64 --height 64 --frames 3", (("d.tif", "--truth"),)),
)


def direct(folder, name):
    return name


def detour(folder, name):
    os.makedirs(os.path.join(folder, "x"), exist_ok=True)
    return os.path.join("x", "..", ".", name)


def symbolic(folder, name):
    link = "link" + os.path.splitext(name)[1]
    os.symlink(os.path.join(folder, name), os.path.join(folder, link))
    return link


def hard(folder, name):
    link = "hard" + os.path.splitext(name)[1]
    os.link(os.path.join(folder, name), os.path.join(folder, link))
    return link


WAYS = {"direct": direct, "detour": detour, "symbolic link": symbolic, "hard link": hard}


def overlap_cases():
    for command, rest, pairs in OVERLAPS:
        for name, *options in pairs:
            is_input = name.startswith("=")
            name = name.lstrip("=")
            for way, lead in WAYS.items():
                if way == "hard link" and (not is_input or "." not in name):
                    continue
                yield overlap(command, rest, name, options, way, lead, is_input)


def overlap(command, rest, name, options, way, lead, is_input):
    args = [a.replace("Alignedstack", "Aligned stack") for a in [command] + rest.split()]
    if way == "direct":
        target = name
    elif way == "detour":
        target = "x/.././" + name
    else:
        target = ("link" if way == "symbolic link" else "hard") + os.path.splitext(name)[1]
    for k, option in enumerate(options):
        args += [option, "{dir}/" + (target if k == len(options) - 1 else name)]
    if command == "mosaic" and "--output" not in args:
        args += ["--output", "{dir}/other.png"]

    def prepare(folder):
        lead(folder, name)

    # The name of a hard link may be given a new file: the input keeps its own.
    linked = way == "hard link"
    return Case("paths", "%s %s: %s by %s" % (command, " ".join(options), name, way), args, BOTH,
                code=(0, 2, "partial") if linked else 2, says=() if linked else (os.path.basename(target),),
                prepare=prepare, core=way == "direct" and is_input, changes=(target,) if linked else (),
                absent=() if is_input or way == "symbolic link" else (name,))


# ------------------------------------------------------------ links, devices

OUTPUTS = (
    ("mosaic --input {dir}/in --output {dir}/p.png --transforms", "csv", b"frame,"),
    ("mosaic --input {dir}/in --output {dir}/p.png --table", "csv", b"frame,"),
    ("mosaic --input {dir}/in --output {dir}/p.png --json", "json", b"{"),
    ("mosaic --input {dir}/in --output", "png", b"\x89PNG"),
    ("mosaic --input {dir}/in --output", "tif", (b"II*", b"MM\0*")),
    ("register --input {dir}/in --pairs", "json", b"{"),
    ("solve --pairs {dir}/pairs.json --places", "json", b"{"),
    ("solve --pairs {dir}/pairs.json --places {dir}/q.json --transforms", "csv", b"frame,"),
    ("paint --input {dir}/in --places {dir}/places.json --output", "png", b"\x89PNG"),
    ("quality --input {dir}/in --transforms {dir}/t.csv --table", "csv", b"frame"),
    ("sweep --input {dir}/in --ranges landmarks=6-7 --table", "csv", b""),
    ("exposures --input {dir}/in --transforms", "csv", b"frame,"),
    ("exposures --input {dir}/in --table", "csv", b"frame,"),
    ("exposures --input {dir}/in --output", "tif", (b"II*", b"MM\0*")),
    ("ahe --input {dir}/in/frame00001.png --output", "png", b"\x89PNG"),
    ("demo-sequence --width 64 --height 64 --frames 3 --output {dir}/d.tif --truth", "csv", b"frame,"),
)


def starts(wanted):
    def valid(path):
        with open(path, "rb") as file:
            head = file.read(8)
        return None if head.startswith(wanted) and head else "starts with %r" % head
    return valid


def device(path, minor):
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
    except PermissionError:
        # Who may make no devices tries the system's own through a link, which must stay one.
        os.symlink("/dev/null" if minor == 3 else "/dev/full", path)


def place_cases():
    for line, ending, head in OUTPUTS:
        args = line.split()
        name = "%s %s.%s" % (args[0], args[-1], ending)
        link = "{dir}/link." + ending

        def old(folder, ending=ending):
            with open(os.path.join(folder, "real." + ending), "wb") as file:
                file.write(b"old")
            os.symlink("real." + ending, os.path.join(folder, "link." + ending))

        yield Case("paths", name + " through a link", args + [link], BOTH, prepare=old, changes=("real." + ending,),
                   makes={"real." + ending: starts(head)}, core=ending == "json")
        yield Case("paths", name + " through a link to nothing yet", args + [link], BOTH,
                   prepare=lambda folder, e=ending: os.symlink("new." + e, os.path.join(folder, "link." + e)),
                   makes={"new." + ending: starts(head)})
        yield Case("paths", name + " to a null device", args + [link], BOTH, core=ending == "csv" and "json" in line,
                   prepare=lambda folder, e=ending: device(os.path.join(folder, "link." + e), 3))
        yield Case("paths", name + " to a full device", args + [link], BOTH, code=2, says=("link." + ending,),
                   prepare=lambda folder, e=ending: device(os.path.join(folder, "link." + e), 7))
        yield Case("paths", name + " to a pipe with a reader", args + [link], BOTH,
                   prepare=lambda folder, e=ending: os.mkfifo(os.path.join(folder, "link." + e)),
                   shell="cat {dir}/link.%s > {dir}/got & {}; code=$?; [ -p {dir}/link.%s ] || exit 99; wait; exit $code"
                   % (ending, ending), makes={"got": starts(head)}, seconds=40)
        if ending in ("csv", "json"):
            yield Case("paths", name + " to standard output", args + [link], BOTH,
                       prepare=lambda folder, e=ending: os.symlink("/proc/self/fd/1",
                                                                   os.path.join(folder, "link." + e)),
                       says=(head.decode() or "landmarks",))
        yield Case("paths", name + " in a folder that is not there", args + ["{dir}/none/x." + ending], BOTH, code=2,
                   says=("none",))
        yield Case("paths", name + " is a folder", args + [link], BOTH, code=(0, 2) if "exposures" in name else 2,
                   prepare=lambda folder, e=ending: os.mkdir(os.path.join(folder, "link." + e)), says=("link",))


def pyramid_cases():
    """A pyramid is not written from its start to its end."""
    for name, prepare in (("null device", lambda folder: device(os.path.join(folder, "o.ome.tif"), 3)),
                          ("pipe", lambda folder: os.mkfifo(os.path.join(folder, "o.ome.tif")))):
        for line in ("mosaic --input {dir}/in --output {dir}/o.ome.tif",
                     "paint --input {dir}/in --places {dir}/places.json --output {dir}/o.ome.tif",
                     "apply --input {dir}/in --transforms {dir}/t.csv --output {dir}/o.ome.tif"):
            yield Case("paths", "%s, pyramid to a %s" % (line.split()[0], name), line.split(), BOTH, code=2,
                       says=("o.ome.tif cannot be written: a pyramid",), prepare=prepare)


def empty_cases():
    """An empty path, and a path that is blank."""
    for command, option in (("mosaic", "--input"), ("mosaic", "--output"), ("mosaic", "--mask"), ("ahe", "--input"),
                            ("ahe", "--output"), ("exposures", "--input"), ("exposures", "--output"),
                            ("apply", "--input"), ("apply", "--output"), ("apply", "--transforms"),
                            ("quality", "--input"), ("quality", "--transforms"), ("sweep", "--input"),
                            ("register", "--input"), ("register", "--pairs"), ("solve", "--pairs"), ("solve", "--places"),
                            ("paint", "--input"), ("paint", "--places"), ("paint", "--output"),
                            ("demo-sequence", "--output")):
        usual = {"--input": "{dir}/in", "--output": "{dir}/o.png" if command != "exposures" else "{dir}/o.tif",
                 "--transforms": "{dir}/t.csv", "--mask": "{dir}/m.png", "--pairs": "{dir}/pairs.json",
                 "--places": "{dir}/places.json"}
        if command == "register":
            usual["--pairs"] = "{dir}/o.json"
        if command == "solve":
            usual["--places"] = "{dir}/o.json"
        needs = {"mosaic": ("--input", "--output"), "ahe": ("--input", "--output"), "exposures": ("--input",),
                 "apply": ("--input", "--output", "--transforms"), "quality": ("--input", "--transforms"),
                 "sweep": ("--input",), "register": ("--input", "--pairs"), "solve": ("--pairs", "--places"),
                 "paint": ("--input", "--places", "--output"), "demo-sequence": ("--output",)}[command]
        for value in ("", " ", "nul\\l"):
            args = [command]
            for need in needs:
                if need != option:
                    args += [need, usual[need]]
            if command == "demo-sequence":
                args += ["--width", "64", "--height", "64", "--frames", "2"]
            if command == "sweep":
                args += ["--ranges", "landmarks=6-7"]
            made = option == "--output" or (command, option) in (("register", "--pairs"), ("solve", "--places"))
            optional = option not in needs or value == "nul\\l" and made
            yield Case("paths", "%s %s %r" % (command, option, value), args + [option, value], BOTH,
                       code=("any",) if optional or value != "" else (2, 3), says=() if optional else (),
                       core=value == "" and option == "--input")


def cases(seed):
    yield from overlap_cases()
    yield from place_cases()
    yield from pyramid_cases()
    yield from empty_cases()
