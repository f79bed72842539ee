"""Standard input, output and error that are closed, full, or a pipe that nobody reads."""
import formats as f
import stages
from cases_paths import starts
from engine import Case
from scenes import Sequence

FRAMES = Sequence(6, 4, 96, 72).frames
FILES = {"in/f%d.png" % i: f.png(p) for i, p in enumerate(FRAMES)}
FILES["t.csv"] = ("frame,m00,m01,m02,m10,m11,m12\n" + "".join("%d,1,0,%d,0,1,0\n" % (n, n) for n in range(1, 5))).encode()

FILES["pairs.json"] = stages.text(stages.pairs(4, 96, 72))
FILES["places.json"] = stages.text(stages.places(4, 96, 72))

PNG, CSV, JSON = starts(b"\x89PNG"), starts(b"frame,"), starts(b"{")
# Commands, and what they write into files; those without print their results alone.
COMMANDS = {
    "mosaic": ("mosaic --input {dir}/in --output {dir}/o.png --transforms {dir}/o.csv", {"o.png": PNG, "o.csv": CSV}),
    "ahe": ("ahe --input {dir}/in/f0.png --output {dir}/o.png", {"o.png": PNG}),
    "apply": ("apply --input {dir}/in --transforms {dir}/t.csv --output {dir}/o.png", {"o.png": PNG}),
    "demo-sequence": ("demo-sequence --width 64 --height 64 --frames 3 --output {dir}/o --truth {dir}/o.csv",
                      {"o/frame00003.png": PNG, "o.csv": CSV}),
    "register": ("register --input {dir}/in --pairs {dir}/o.json", {"o.json": JSON}),
    "solve": ("solve --pairs {dir}/pairs.json --places {dir}/o.json", {"o.json": JSON}),
    "paint": ("paint --input {dir}/in --places {dir}/places.json --output {dir}/o.png", {"o.png": PNG}),
    "quality": ("quality --input {dir}/in --transforms {dir}/t.csv", {}),
    "sweep": ("sweep --input {dir}/in --ranges landmarks=6-8", {}),
    "exposures": ("exposures --input {dir}/in", {}),
    "info": ("info", {}),
    "info --json": ("info --json", {}),
    "--help": ("--help", {}),
    "mosaic --help": ("mosaic --help", {}),
}
# name -> the shell's line, and whether what the command prints is lost.
STATES = {
    "output closed": ("{} >&-", True),
    "output full": ("{} >/dev/full", True),
    "output a pipe without reader": ("{} | true; exit ${PIPESTATUS[0]}", None),
    "output a pipe that reads a line": ("{} | head -n 1 >/dev/null; exit ${PIPESTATUS[0]}", None),
    "error closed": ("{} 2>&-", False),
    "error full": ("{} 2>/dev/full", False),
    "input closed": ("{} <&-", False),
    "input full of noise": ("head -c 100000 /dev/urandom | {}", False),
    "all closed": ("{} <&- >&- 2>&-", True),
    "both full": ("{} >/dev/full 2>&1", True),
    "output a closed terminal": ("{} </dev/null >/dev/null 2>&1", False),
}


def cases(seed):
    for command, (line, made) in COMMANDS.items():
        for state, (shell, lost) in STATES.items():
            # Lost results are a failure; a summary of what is in files, or a help, may be lost. A pipe may take some lines.
            results = not made and "help" not in command
            code = "failure" if lost and results else "any" if lost or lost is None else 0
            yield Case("streams", "%s, %s" % (command, state), line.split(), FILES, code=code, shell=shell, makes=made,
                       core=state in ("output full", "output closed") and command in ("quality", "info", "mosaic"),
                       seconds=60)
