"""Little memory, few threads, few files, a small disk: a run does its work or says why not; it never crashes."""
import os
import resource

import formats as f
from engine import Case
from scenes import Sequence, scene

FRAMES = Sequence(6, 8, 160, 120).frames
FILES = {"in/f%d.png" % i: f.png(p) for i, p in enumerate(FRAMES)}
FILES["s.tif"] = f.imagej_stack(FRAMES)
FILES["t.csv"] = ("frame,m00,m01,m02,m10,m11,m12\n" + "".join("%d,1,0,%d,0,1,0\n" % (n, n) for n in range(1, 9))).encode()
BIG = f.png(f.Picture(3000, 2000, 1, scene(1, 420, 330).samples[:3000] * 2000))
BIG_FILES = {"in/b%d.png" % i: BIG for i in range(3)}
BIG_FILES["t.csv"] = FILES["t.csv"]

COMMANDS = {
    "mosaic": "mosaic --input {dir}/in --output {dir}/o.png --transforms {dir}/o.csv",
    "apply": "apply --input {dir}/in --transforms {dir}/t.csv --output {dir}/o.png",
    "aligned": "apply --input {dir}/in --transforms {dir}/t.csv --mode Aligned~stack --output {dir}/o.tif",
    "exposures": "exposures --input {dir}/in --output {dir}/o.tif",
    "ahe": "ahe --input {dir}/in --output {dir}/o",
    "quality": "quality --input {dir}/in --transforms {dir}/t.csv",
    "sweep": "sweep --input {dir}/in --ranges landmarks=6-7",
    "demo-sequence": "demo-sequence --width 1000 --height 800 --frames 4 --output {dir}/o.tif",
}


def words(command):
    return [w.replace("~", " ") for w in COMMANDS[command].split()]


def told(run):
    """A run that failed says that it was memory, threads or the like."""
    if run.code in (0, 3, 4) or run.code not in (5,):
        return None
    text = run.err.lower()
    hints = ("memory", "thread", "heap", "-xmx", "resource", "allocate", "limit", "space")
    return None if any(h in text for h in hints) else "5 without a word of what was missing"


def heap_cases():
    for command in COMMANDS:
        for heap in ("6m", "9m", "13m", "20m", "40m"):
            yield Case("memory", "%s of small frames, heap %s" % (command, heap), words(command), FILES, heap=heap,
                       code=(0, 1, 3, 4, 5, "partial"), check=told, core=heap == "13m" and command == "mosaic")
        if command != "demo-sequence":
            for heap in ("12m", "24m", "50m"):
                yield Case("memory", "%s of 3000 x 2000, heap %s" % (command, heap), words(command), BIG_FILES, heap=heap,
                           code=(0, 3, 4, 5, "partial"), check=told, seconds=120)


def virtual_cases():
    """ulimit -v: the library's own allocations fail. A machine that does not even start ends with 1."""
    for command in COMMANDS:
        for kilobytes in (1400000, 1600000, 1800000, 2000000, 2400000):
            yield Case("memory", "%s, ulimit -v %d" % (command, kilobytes), words(command) + ["--threads", "2"] if
                       command != "demo-sequence" else words(command), BIG_FILES if kilobytes % 400000 else FILES,
                       shell="ulimit -v %d; MALLOC_ARENA_MAX=1 {}" % kilobytes, heap="64m",
                       code=(0, 1, 3, 4, 5, 134, "partial"), check=not_ours, seconds=120)


def not_ours(run):
    """Java itself may stop for want of memory, telling so; a fault within the library is one of ours."""
    if "SIGSEGV" in run.text() or "libendorama" in run.text():
        return "a fault in the library"
    return told(run)


def nobody(threads):
    """For the started process: another user, as root has no such limit, with so many threads in all."""
    def limit():
        if os.getuid() == 0:
            resource.setrlimit(resource.RLIMIT_NPROC, (threads, threads))
            os.setgroups([])
            os.setgid(54321)
            os.setuid(54321 + threads)
        else:
            used = sum(len(os.listdir("/proc/%s/task" % p)) for p in os.listdir("/proc")
                       if p.isdigit() and os.path.exists("/proc/%s/task" % p)
                       and os.stat("/proc/" + p).st_uid == os.getuid())
            resource.setrlimit(resource.RLIMIT_NPROC, (used + threads,) * 2)
    return limit


def thread_cases():
    """A machine that does not start for want of threads ends with 1; past that all is the command's to say."""
    for command in ("mosaic", "exposures", "ahe"):
        for asked in (2, 64, 200):
            for limit in (14, 22, 26, 30, 40):
                yield Case("threads", "%s --threads %d, ulimit -u %d" % (command, asked, limit),
                           words(command) + ["--threads", str(asked)], FILES, user=nobody(limit),
                           code=(0, 1, 5) if limit < 26 else (0, 5), check=from_java_or_told,
                           core=limit == 40 and asked == 64, alone=True)


def from_java_or_told(run):
    if run.code == 1 and "endorama" not in run.err and "thread" not in run.err:
        return "1 without a word"
    return told(run)


def file_cases():
    for limit in (24, 32, 48, 64):
        for command in ("mosaic", "exposures", "ahe"):
            yield Case("memory", "%s, %d open files" % (command, limit), words(command), FILES,
                       shell="ulimit -n %d; {}" % limit, code=(0, 1, 3, 5, "partial"))
    for blocks in (0, 1, 8, 40):
        for command in ("mosaic", "exposures", "demo-sequence", "ahe"):
            yield Case("memory", "%s, files of at most %d blocks" % (command, blocks), words(command), FILES,
                       shell="ulimit -f %d; trap '' XFSZ; {} 2>&1 | cat; exit ${PIPESTATUS[0]}" % blocks,
                       code=(0, 2, 5) if blocks else (2, 5), core=blocks == 1 and command == "mosaic")


def long_sequence(frames):
    """So many frames of 360 x 288, which go to and fro over a scene: links to 20 files."""
    whole = scene(3, 700, 480)
    files = {"frames/%02d.png" % i: f.png(whole.window(20 + 14 * i, 20 + 7 * i, 360, 288)) for i in range(20)}
    there_and_back = list(range(20)) + list(range(18, 0, -1))
    for n in range(frames):
        target = "../frames/%02d.png" % there_and_back[n % len(there_and_back)]
        files["in/f%05d.png" % n] = lambda path, target=target: os.symlink(target, path)
    return files


def flat(run):
    """
    Resident memory, two samples a second, must not grow with the frames; prints its curve. Java's heap is in it as a whole from
    the start, or it would be touched bit by bit.
    """
    with open(run.path("memory.txt")) as lines:
        samples = [int(line.split()[1]) // 1024 for line in lines if line.strip()]
    if len(samples) < 10:
        return "only %d samples of its memory" % len(samples)
    samples = samples[1:]  # the first may be of the shell
    curve = [samples[(len(samples) - 1) * i // 10] for i in range(11)]
    print("a heap of 256 MB, resident MB at every tenth of the time: %s" % " ".join(map(str, curve)))
    early, late = max(samples[:len(samples) // 2]), max(samples[len(samples) // 2:])
    return "grows from %d to %d MB" % (early, late) if late > 1.1 * early else None


def bounded(run):
    """The peak of resident memory over 2000 frames is that over the first 1000: what grows with them is a few kB a frame."""
    peaks = []
    for name in ("half.txt", "whole.txt"):
        with open(run.path(name)) as lines:
            samples = [int(line.split()[1]) // 1024 for line in lines if line.strip()]
        if len(samples) < 5:
            return "only %d samples in %s" % (len(samples), name)
        peaks.append(max(samples[1:]))  # the first may be of the shell
    print("a heap of 256 MB, largest resident MB of 1000 and of 2000 frames: %d %d" % tuple(peaks))
    return "grows from %d to %d MB" % tuple(peaks) if peaks[1] > 1.1 * peaks[0] else None


def watched(command, what, to):
    return ("%s & run=$!; while kill -0 $run 2>/dev/null; do grep %s /proc/$run/status; sleep 0.5; done"
            " > {dir}/%s 2>/dev/null; wait $run" % (command, what, to))


def long_cases():
    java = ("-Xms256m", "-XX:+AlwaysPreTouch")
    made = {"o.png": None, "o.csv": None}
    yield Case("memory", "10000 frames, method=Paper solve=None",
               words("mosaic") + ["--method", "Paper", "--solve", "None", "--light", "None"],
               lambda: long_sequence(10000), shell=watched("{}", "VmRSS", "memory.txt"), says=("10000 ok",), check=flat, makes=made,
               seconds=900, java=java, alone=True)
    # Registering, tying loops and blending need memory of their own, one after the other, so that two lengths are compared.
    yield Case("memory", "2000 frames, method=Best solve=Global",
               words("mosaic") + ["--method", "Best", "--solve", "Global", "--light", "Even"], lambda: long_sequence(2000),
               shell=watched("{} --frames 1-1000", "VmHWM", "half.txt") + "; " + watched("{}", "VmHWM", "whole.txt"), says=("2000 ok",),
               check=bounded, makes=made, seconds=900, java=java, alone=True)


def environment_cases():
    for value in ("x", "-1", "0", "8", "8q", "1t g", "99999999t", "1k"):
        yield Case("memory", "ENDORAMA_HEAP=%r" % value, ["info"], environment={"ENDORAMA_HEAP": value}, script=True,
                   code=(2, 5), says=("heap",), core=value == "x")
    yield Case("memory", "ENDORAMA_HEAP=64m", ["info"], environment={"ENDORAMA_HEAP": "64m"}, script=True, says=("Java",))


def cases(seed):
    for group in (heap_cases(), virtual_cases(), thread_cases(), file_cases(), long_cases(),
                  environment_cases()):
        yield from group
