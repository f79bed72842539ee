"""Runs what the tables are made of: endo_bench, and sweeps over sequences with the command line."""
import csv
import os
import subprocess
import sys

CPU_SUBJECTS = ("ncc-sides", "ahe", "exposures", "fourier", "mutual")
GPU_SUBJECTS = ("cuda", "ahe-cuda", "exposures-cuda", "fourier-cuda", "mutual-cuda")
# To milliseconds, but nanoseconds stay what they are.
UNITS = {"us": 1e-3, "us a pair": 1e-3, "s": 1e3}


def say(text):
    print("tables: " + text, file=sys.stderr, flush=True)


class Rows:
    """What endo_bench measured: (kernel, size) -> {"back end, threads": median}."""

    def __init__(self):
        self.cells = {}
        self.lines = []

    def read(self, path):
        with open(path, newline="", encoding="utf-8") as f:
            for row in csv.DictReader(f):
                if not row["kernel"].startswith("target: "):
                    who = "%s, %s thread%s" % (row["backend"], row["threads"], "" if row["threads"] == "1" else "s")
                    value = float(row["median"]) * UNITS.get(row["unit"], 1)
                    self.cells.setdefault((row["kernel"], row["size"]), {})[who] = value

    def of(self, kernel, size):
        return self.cells.get((kernel, size), {})


def subjects_of(program):
    """What this build of endo_bench knows, as its usage says."""
    usage = subprocess.run([program], capture_output=True, text=True).stderr
    return [word.strip() for word in usage.partition("subjects:")[2].split(",")]


def bench(program, quick, folder):
    """Rows of all subjects; a subject that fails is said and left out."""
    rows, known = Rows(), subjects_of(program)
    for subject in CPU_SUBJECTS + GPU_SUBJECTS:
        if subject not in known:
            continue
        say("endo_bench " + subject)
        path = os.path.join(folder, subject + ".csv")
        command = [program, subject, "--csv", path] + (["--quick"] if quick else [])
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        rows.lines += done.stdout.splitlines()
        if os.path.exists(path):
            rows.read(path)
        if done.returncode:
            say("endo_bench %s ended with %d" % (subject, done.returncode))
    return rows


class Sequences:
    """Sequences in place of those of the thesis, and the sweeps over them."""

    def __init__(self, command, folder, given):
        self.command = command
        self.folder = folder
        self.given = given

    def run(self, *arguments):
        done = subprocess.run(self.command + list(arguments), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise SystemExit("tables: %s ended with %d:\n%s" % (arguments[0], done.returncode, done.stderr[-2000:]))

    def path(self, name, width, height, frames):
        """A file or folder that was given for a name, else a demo sequence of that size."""
        if self.given.get(name):
            return self.given[name]
        path = os.path.join(self.folder, name + ".tif")
        if not os.path.exists(path):
            say("demo sequence of %d frames, %d x %d" % (frames, width, height))
            self.run("demo-sequence", "--width", str(width), "--height", str(height), "--frames", str(frames),
                     "--output", path)
        return path

    def sweep(self, path, ranges, *options):
        """A list of rows by column; numbers, NaN where there is none."""
        say("sweep " + ranges)
        table = os.path.join(self.folder, "sweep.csv")
        self.run("sweep", "--input", path, "--method", "Paper", "--peak", "Integer", "--ranges", ranges, "--table", table,
                 *options)
        with open(table, newline="", encoding="utf-8") as f:
            return [{key: float(cell) if cell else float("nan") for key, cell in row.items()} for row in csv.DictReader(f)]
