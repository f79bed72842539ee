"""Streams of frames that are damaged, cut, absurd or closed; folders that are watched; signals while frames come."""
import random
import signal

import formats as f
from cases_paths import starts
from engine import Case
from scenes import Sequence

WIDTH, HEIGHT = 96, 72
FRAMES = [bytes(p.samples) for p in Sequence(6, 12, WIDTH, HEIGHT, 6).frames]
RAW = b"".join(FRAMES)
Y4M = b"YUV4MPEG2 W96 H72 F25:1 Cmono\n" + b"".join(b"FRAME\n" + p for p in FRAMES)
RAW_OPTIONS = ["--format", "gray8", "--size", "96x72"]
PNG = starts(b"\x89PNG")


def noise(count):
    return random.Random(7).getrandbits(8 * count).to_bytes(count, "little")


def live(*options):
    return ["live"] + list(options) + ["--output", "{dir}/o.png"]


# name -> bytes of s.y4m, exit codes, words, whether a panorama is made.
STREAMS = {
    "whole": (Y4M, 0, (), True),
    "empty": (b"", 3, ("it is empty",), False),
    "noise": (noise(5000), 3, ("no YUV4MPEG2",), False),
    "a header alone": (Y4M[:30], 3, ("no frame came",), False),
    "a header without an end": (b"YUV4MPEG2 " + b"W" * 200000, 3, (("the width", "no whole number"),), False),
    "a header of zeros": (b"YUV4MPEG2 " + bytes(3000), 3, (), False),
    "no size": (b"YUV4MPEG2 F25:1\nFRAME\n" + RAW, 3, ("1 x 1 or larger",), False),
    "a negative size": (Y4M.replace(b"W96", b"W-96"), 3, ("the width",), False),
    "a size of words": (Y4M.replace(b"H72", b"Hmany"), 3, ("the height",), False),
    "a huge size": (Y4M.replace(b"W96 H72", b"W999999 H999999"), 3, ("too large",), False),
    "a size that overflows": (Y4M.replace(b"W96 H72", b"W65536 H65536"), 3, ("too large",), False),
    "a size above what is there": (Y4M.replace(b"W96", b"W960"), 4, ("something else comes",), False),
    "ten bits": (Y4M.replace(b"Cmono", b"C420p10"), 3, ("must be C420",), False),
    "alpha": (Y4M.replace(b"Cmono", b"C444alpha"), 3, ("must be C420",), False),
    "colour that is not there": (Y4M.replace(b"Cmono", b"C420"), "partial", ("something else comes",), None),
    "cut within a frame": (Y4M[:-1000], 6, ("frame 12 is cut off",), True),
    "cut within a frame's header": (Y4M[:-len(FRAMES[0]) - 4], 6, ("something else comes",), True),
    "noise after six frames": (Y4M[:30 + 6 * (6 + len(FRAMES[0]))] + noise(9000), 6, ("something else comes",), True),
    "parameters of frames": (Y4M.replace(b"FRAME\n", b"FRAME Ip XNOTHING=1\n"), 0, (), True),
    "one frame": (Y4M[:30 + 6 + len(FRAMES[0])], 4, ("no two frames fit together",), False),
    "frames alike": (Y4M[:30] + (b"FRAME\n" + FRAMES[0]) * 30, 0, ("the scope moved by 0.0 px",), True),
    "frames without texture": (Y4M[:30] + (b"FRAME\n" + bytes(WIDTH * HEIGHT)) * 30, (4, "partial"), (), False),
}


def stream_cases():
    for name in STREAMS:
        for way, options, shell in (("a file", live("--input", "{dir}/s.y4m"), None),
                                    ("standard input", live("--input", "-"), "cat {dir}/s.y4m | {}; exit ${PIPESTATUS[1]}"),
                                    ("a pipe", live("--input", "{dir}/p"), "mkfifo {dir}/p; cat {dir}/s.y4m >{dir}/p & {}")):
            yield stream_case("%s, %s" % (name, way), options, shell, way == "a file", STREAMS[name])


def stream_case(name, options, shell, is_file, stream):
    data, code, says, made = stream
    if not is_file and made is not False:
        # Of a pipe frames may be dropped, so that too few are left.
        code = (code, 0, 4, "partial")
    elif made is None:
        code = (code, 3, 4)
    elif not is_file and code == 4:
        code = (4, 6)
    return Case("live", name, options, {"s.y4m": data}, code=code, says=says if is_file else (), changes=("p",), shell=shell,
                makes={"o.png": PNG} if made and is_file else {},
                core=name in ("whole, a pipe", "noise, a pipe", "cut within a frame, a pipe"))


def other_cases():
    files = {"s.gray": RAW, "s.y4m": Y4M}
    yield Case("live", "raw frames", live("--input", "{dir}/s.gray", *RAW_OPTIONS), files, makes={"o.png": PNG})
    yield Case("live", "raw frames, cut", live("--input", "{dir}/s.gray", *RAW_OPTIONS), {"s.gray": RAW[:-7]}, code=6,
               says=("is cut off",), makes={"o.png": PNG})
    yield Case("live", "raw frames without a size", live("--input", "{dir}/s.gray"), files, code=3, says=("no YUV4MPEG2",))
    for size in ("0x72", "96x", "-96x72", "1e3x72", "9999999x1", "999999x999999"):
        yield Case("live", "raw frames of " + size, live("--input", "-", "--format", "gray8", "--size", size), code=(2, 3),
                   absent=("o.png",))
    yield Case("live", "standard input closed", live("--input", "-"), code=3, shell="{} <&-", absent=("o.png",))
    yield Case("live", "a writer that is killed", live("--input", "-"), files, code=("any",), says=(("cut off", "live "),),
               shell="(head -c 60000 {dir}/s.y4m; sleep 1) | {}; exit ${PIPESTATUS[1]}")
    yield Case("live", "nobody writes", live("--input", "{dir}/p", "--idle", "1"), code=3, says=("no frame came",),
               shell="mkfifo {dir}/p; {}", changes=("p",), absent=("o.png",), core=True)
    yield Case("live", "a writer that is silent", live("--input", "-", "--idle", "1"), files, code=(0, 4, "partial"),
               shell="(cat {dir}/s.y4m; sleep 9) | {}; exit ${PIPESTATUS[1]}", seconds=30)
    yield Case("live", "an endless stream", live("--input", "-", "--seconds", "2"), files, code=(0, 4, "partial"), seconds=40,
               core=True, shell="(head -c 30 {dir}/s.y4m; while tail -c +31 {dir}/s.y4m; do :; done) 2>/dev/null | {}; "
               "exit ${PIPESTATUS[1]}")
    yield Case("live", "a preview that cannot be written", live("--input", "{dir}/s.y4m", "--preview", "{dir}/no/p.png"), files,
               code=2, absent=("o.png",))
    yield Case("live", "a preview that is the input", live("--input", "{dir}/s.y4m", "--preview", "{dir}/s.y4m"), files, code=2)
    yield Case("live", "the input as output", ["live", "--input", "{dir}/s.y4m", "--json", "{dir}/s.y4m"], files, code=2)


def folder_cases():
    images = {"in/f%d.png" % i: f.png(p) for i, p in enumerate(Sequence(6, 8, WIDTH, HEIGHT, 6).frames)}
    watch = live("--input", "{dir}/in", "--watch")
    yield Case("live", "a folder with its end", watch, dict(images, **{"in/END": b""}), makes={"o.png": PNG}, core=True)
    yield Case("live", "a folder that stays", watch + ["--idle", "2"], images, makes={"o.png": PNG})
    yield Case("live", "a folder with damaged images", watch, dict(images, **{
        "in/END": b"", "in/f3.png": images["in/f3.png"][:200], "in/f5.png": b""}), code=6, makes={"o.png": PNG},
        says=("f3.png", "f5.png"))
    yield Case("live", "a folder with another size", watch, dict(images, **{
        "in/END": b"", "in/f3.png": f.png(Sequence(6, 1, 64, 48).frames[0])}), code=6, says=("another size",),
        makes={"o.png": PNG})
    yield Case("live", "a folder that disappears", watch, images, code=(3, 4, 6), says=("no longer there",), changes=tuple(images),
               shell="(sleep 2; mv {dir}/in {dir}/away) & {}")
    yield Case("live", "a preview among the frames", watch + ["--preview", "{dir}/in/p.png"], images, code=2,
               absent=("in/p.png",))
    yield Case("live", "images that are written slowly", watch, images, makes={"o.png": PNG}, changes=("slow",),
               shell="(cd {dir}; for i in 8 9; do for n in 1 2 3; do tail -c +$((n * 900 - 899)) in/f1.png | head -c 900 "
               ">>in/f$i.png; sleep 0.3; done; tail -c +2701 in/f1.png >>in/f$i.png; done; touch in/END) & {}")


def interrupted(run):
    if run.answer > 20:
        return "it took %.1f s to end" % run.answer
    return None


def signal_cases():
    files = {"in/f%d.png" % i: f.png(p) for i, p in enumerate(Sequence(6, 8, WIDTH, HEIGHT, 6).frames)}
    watch = live("--input", "{dir}/in", "--watch", "--preview", "{dir}/p.png")
    yield Case("live", "Ctrl-C finishes", watch, files, interrupt=(signal.SIGINT, 6), makes={"o.png": PNG, "p.png": PNG},
               check=interrupted, core=True)
    for sent in (signal.SIGTERM, signal.SIGHUP):
        yield Case("live", sent.name, watch, files, interrupt=(sent, 4), code=("any",), check=interrupted)
    yield Case("live", "Ctrl-C before a frame", live("--input", "{dir}/p"), interrupt=(signal.SIGINT, 4), code=(130,),
               shell="mkfifo {dir}/p; exec {}", changes=("p",), absent=("o.png",), check=interrupted)


def cases(seed):
    yield from stream_cases()
    yield from other_cases()
    yield from folder_cases()
    yield from signal_cases()
