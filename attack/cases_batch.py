"""Batches: names that meet, tables that are damaged or shared, inputs and outputs that changed; stages of other frames."""
import os

import formats as f
from engine import Case
from scenes import Sequence, read_table

FRAMES = Sequence(6, 5, 96, 72).frames
OTHERS = Sequence(9, 5, 96, 72).frames
MAIN = "{main} %s"
TWO = MAIN % "mosaic --batch {dir}/two --output {dir}/out --method Paper --solve None"
BATCH = ["mosaic", "--batch", "{dir}/in", "--output", "{dir}/out", "--method", "Paper", "--solve", "None"]


def folder(name, frames=FRAMES):
    return {"in/%s/f%d.png" % (name, i): f.png(p) for i, p in enumerate(frames)}


def stack(name, frames=FRAMES):
    return {"in/" + name: f.imagej_stack(frames)}


def items(n):
    """So many rows of the summary, each with a picture of its own."""
    def check(run):
        rows = read_table(run.path("out/summary.csv"))
        names = [r["name"] for r in rows]
        inputs = {r["input"] for r in rows}
        if len(rows) != n or len(inputs) != n or len({name.lower() for name in names}) != n:
            return "%d rows, %d inputs of %d items" % (len(rows), len(inputs), n)
        missing = [name for name in names if not os.path.exists(run.path("out/%s.png" % name))]
        return "no picture of %r" % missing[0] if missing else None
    return check


def name_cases():
    yield Case("batch", "x/, x.tif and x_tif/", BATCH, dict(folder("x"), **dict(stack("x.tif"), **folder("x_tif"))),
               says=("3 done",), check=items(3), core=True)
    yield Case("batch", "X/ and x.tif", BATCH, dict(folder("X"), **stack("x.tif")), says=("2 done",), check=items(2))
    yield Case("batch", "x.tif, x.tiff, x_tif.tif", BATCH, dict(stack("x.tif"), **dict(stack("x.tiff"), **stack("x_tif.tif"))),
               says=("3 done",), check=items(3))
    for name in ("a\nb", "%s", "a,b\"c", "-x", "  ", "\u5185\u8996", "a;b|c"):
        yield Case("batch", "named %r, resumed" % name, BATCH, folder(name + "x"), says=("1 of them done before",),
                   shell="LC_ALL=C.UTF-8 {} && LC_ALL=C.UTF-8 {} --resume", core=name == "a\nb")
    yield Case("batch", "a hundred", BATCH + ["--jobs", "4"], lambda: {k: v for n in range(100) for k, v in
                                                                    folder("s%d" % n, FRAMES[:2]).items()},
               says=("100 done",), check=items(100), seconds=120)
    yield Case("batch", "a loop of links", BATCH, dict(folder("x"), **{"in/loop": lambda p: os.symlink(".", p),
                                                                     "in/self": lambda p: os.symlink(p, p)}),
               says=("1 done",), check=items(1))
    yield Case("batch", "an empty folder and a closed one", BATCH, dict(folder("x"), **{"in/e": os.mkdir, "in/y": lambda p: (
        os.mkdir(p), os.chmod(p, 0))}), says=("1 done",), check=items(1))


# ---------------------------------------------------------------------- resuming

def resumed(name, change, done, code=0, core=True, files=None, **more):
    """A batch, something that changes, and the batch again: how many of two were done before."""
    says = ("%d of them done before" % done,) if done else ()
    return Case("batch", "resumed, " + name, BATCH, files or dict(folder("x"), **stack("y.tif")), code=code, says=says,
                shell="{} >/dev/null 2>&1; sleep 1.1; cd {dir}; %s; {} --resume" % change, check=None if done else none_before,
                changes=more.pop("changes", ()), core=core, **more)


def none_before(run):
    return "says done before" if "done before" in run.text() else None


def resume_cases():
    yield resumed("nothing changed", "true", 2)
    yield resumed("a picture emptied", ": >out/x.png", 1)
    yield resumed("a picture cut", "head -c 99 out/x.png >t; mv t out/x.png", 1, core=False)
    yield resumed("transforms gone", "rm out/y.transforms.csv", 1)
    yield resumed("a frame more", "cp in/x/f1.png in/x/f9.png", 1)
    yield resumed("a frame less", "rm in/x/f4.png", 1, changes=("in/x/f4.png",))
    yield resumed("a frame changed", "cp in/x/f1.png in/x/f2.png", 1, changes=("in/x/f2.png",))
    yield resumed("a stack changed", "touch in/y.tif", 1, core=False)
    yield Case("batch", "resumed, a folder beside a stack", BATCH, dict(folder("x"), **stack("y.tif")), says=("2 of them done",),
             shell="{} >/dev/null 2>&1; cd {dir}; mkdir in/y; cp in/x/*.png in/y/; {} --resume", check=items(3), core=True)
    yield resumed("the table gone", "rm out/summary.csv", 0, core=False)
    yield resumed("a table that is no UTF-8", "printf 'name,\\377\\376\\n\\377' >out/summary.csv", 0)
    yield resumed("a table of zeros", "head -c 5000 /dev/zero >out/summary.csv", 0, core=False)
    yield resumed("a cut table", "head -c 300 out/summary.csv >t; mv t out/summary.csv", 0, core=False)
    yield Case("batch", "resumed, another option", BATCH, folder("x"), check=none_before,
             shell="{} >/dev/null 2>&1; {} --resume --rim 10")
    yield Case("batch", "killed and resumed", BATCH, lambda: {k: v for n in range(12) for k, v in folder("s%d" % n).items()},
               shell="timeout -s KILL 2.5 {} ; {} --resume", says=("12 done",), check=items(12))
    yield Case("batch", "interrupted and resumed", BATCH, lambda: {k: v for n in range(12) for k, v in
                                                                  folder("s%d" % n).items()},
               shell="timeout -s INT 2.5 {} ; {} --resume", says=("12 done",), check=items(12))


def shared_cases():
    yield Case("batch", "two into one folder, one after the other", BATCH, dict(folder("x"), **{
        "two/z/f%d.png" % i: f.png(p) for i, p in enumerate(FRAMES)}), check=items(2), core=True,
        shell="{} && " + TWO)
    yield Case("batch", "two into one folder, at the same time", BATCH, dict(folder("x"), **dict(folder("y"), **{
        "two/%s/f%d.png" % (s, i): f.png(p) for i, p in enumerate(FRAMES) for s in "zw"})), check=items(4),
        shell="{} & " + TWO + "; wait")
    yield Case("batch", "two into one folder, of one name", BATCH, dict(folder("x"), **{
        "two/x/f%d.png" % i: f.png(p) for i, p in enumerate(OTHERS)}), check=items(2),
        shell="{} && " + TWO)


# ------------------------------------------------------------------------ stages

ROUND = ("{} --pairs {dir}/p.json && {main} solve --pairs {dir}/p.json --places {dir}/q.json"
         " && {main} paint --places {dir}/q.json --output {dir}/o.png --input {dir}/%s")


def stage_cases():
    files = {"in/f%d.png" % i: f.png(p) for i, p in enumerate(FRAMES)}
    files.update({"reversed/f%d.png" % i: f.png(p) for i, p in enumerate(FRAMES[::-1])})
    files.update({"others/f%d.png" % i: f.png(p) for i, p in enumerate(OTHERS)})
    files.update({"renamed/g%d.png" % i: f.png(p) for i, p in enumerate(FRAMES)})
    register = ["register", "--method", "Paper", "--input", "{dir}/in"]
    for name, code in (("in", 0), ("renamed", 0), ("reversed", 3), ("others", 3)):
        yield Case("batch", "paint of frames that are " + name, register, files, code=code, shell=ROUND % name,
                   says=("is not the frame that was registered",) if code else (), absent=("o.png",) if code else (),
                   makes={} if code else {"o.png": None}, core=name in ("in", "reversed"))


def cases(seed):
    for group in (name_cases(), resume_cases(), shared_cases(), stage_cases()):
        yield from group
