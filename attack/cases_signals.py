"""Signals at random times: what is there afterwards is whole, what was there before is not lost, and the end is near."""
import random
import signal

import formats as f
from engine import Case
from scenes import Sequence

FRAMES = Sequence(6, 60, 160, 120).frames
FILES = {"s.tif": f.imagej_stack(FRAMES)}
FILES["t.csv"] = ("frame,m00,m01,m02,m10,m11,m12\n" + "".join("%d,1,0,%d,0,1,0\n" % (n, n) for n in range(1, 61))).encode()
FILES["in/a.png"] = f.png(FRAMES[0])
FILES["in/b.png"] = f.png(FRAMES[1])
OLD = {"o.png": b"old picture", "o.csv": b"old table", "o.tif": b"old stack"}

COMMANDS = {
    "mosaic": ("mosaic --input {dir}/s.tif --output {dir}/o.png --transforms {dir}/o.csv --threads 1", ("o.png", "o.csv")),
    "apply": ("apply --input {dir}/s.tif --transforms {dir}/t.csv --output {dir}/o.png", ("o.png",)),
    "aligned": ("apply --input {dir}/s.tif --transforms {dir}/t.csv --mode Aligned~stack --output {dir}/o.tif", ("o.tif",)),
    "exposures": ("exposures --input {dir}/s.tif --output {dir}/o.tif --table {dir}/o.csv", ("o.tif", "o.csv")),
    "ahe": ("ahe --input {dir}/s.tif --output {dir}/o.tif --window 301", ("o.tif",)),
    "sweep": ("sweep --input {dir}/s.tif --table {dir}/o.csv", ("o.csv",)),
    "demo-sequence": ("demo-sequence --frames 500 --output {dir}/o.tif --truth {dir}/o.csv", ("o.tif", "o.csv")),
    "demo-sequence of a folder": ("demo-sequence --frames 500 --output {dir}/d --truth {dir}/o.csv", ("o.csv",)),
}
WHOLE = {"png": (b"\x89PNG",), "csv": (b"frame", b"template"), "tif": (b"II*", b"MM\0*")}
# The longest time from a signal to the end, s; on a busy machine a second can take some.
ANSWER = 5


def old_or_whole(outputs):
    def check(run):
        for name in outputs:
            with open(run.path(name), "rb") as file:
                data = file.read()
            if data != OLD[name] and not (data.startswith(WHOLE[name[2:]]) and len(data) > 40
                                          and data.count(b"\n") > (1 if name.endswith("csv") else -1)):
                return "%s is neither the old one nor whole: %r" % (name, data[:40])
        if run.answer > ANSWER:
            return "it took %.1f s to end" % run.answer
        if run.code not in (0, 1, 2, 4, 6, 7, 130, 143, 129, -signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP):
            return "exit code %s" % run.code
        return None
    return check


def signal_cases(seed):
    rng = random.Random(seed)
    for command, (line, outputs) in COMMANDS.items():
        for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for n in range(4):
                delay = 0.05 + 1.2 * rng.random() * rng.random() + 0.2 * n
                files = dict(FILES, **{name: OLD[name] for name in outputs})
                yield Case("signals", "%s, %s after %.2f s" % (command, sent.name, delay),
                           [w.replace("~", " ") for w in line.split()], files, code=("any",), changes=outputs,
                           interrupt=(sent, delay), check=old_or_whole(outputs),
                           core=sent == signal.SIGINT and n == 2)


def kill_cases(seed):
    """A killed run may leave a part behind, which the next one takes away."""
    rng = random.Random(seed + 1)
    for command in ("mosaic", "exposures", "demo-sequence", "ahe"):
        line, outputs = COMMANDS[command]
        # So that there is something to be killed while it is written.
        line = line.replace("--frames 500", "--frames 40").replace("--window 301", "--window 63")
        for n in range(4):
            files = dict(FILES, **{name: OLD[name] for name in outputs})
            delay = 0.25 + 0.2 * n + 0.2 * rng.random()
            yield Case("signals", "%s, killed after %.2f s and run again" % (command, delay), line.split(), files,
                       changes=outputs, shell="timeout -s KILL %.2f {} ; {}" % delay,
                       makes={name: None for name in outputs}, core=n == 1 and command == "demo-sequence")


def cases(seed):
    yield from signal_cases(seed)
    yield from kill_cases(seed)
