#!/usr/bin/env python3
"""Registration by mutual information beside elastix, on the same pairs:

    ENDO_DUMP=FOLDER mutual_accuracy CASES SEED    writes pairs with their truth and what we found
    mutual_peers.py FOLDER [THREADS [AT_ONCE]]     a table: errors as mutual_accuracy has them, seconds; two threads
                                                   each, one pair at a time

    mutual_peers.py --volumes FIXED.nii.gz MOVING.nii.gz OURS.tfm [THREADS]
        two volumes without a truth: how far apart the results are, and what one common measure says of each

    mutual_peers.py --parameters [all]             prints the parameter file: random samples, or all voxels

elastix (elastix.lumc.nl; Debian: elastix) is searched in PATH, or is what ELASTIX says. SAMPLES="random all" says which
of its two ways of sampling run. Seconds are those of the whole
program, with reading; in brackets processor time. Needs numpy."""
import concurrent.futures
import glob
import gzip
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

PARAMETERS = """(FixedInternalImagePixelType "float")
(MovingInternalImagePixelType "float")
(Registration "MultiResolutionRegistration")
(FixedImagePyramid "FixedSmoothingImagePyramid")
(MovingImagePyramid "MovingSmoothingImagePyramid")
(Interpolator "LinearInterpolator")
(Metric "AdvancedMattesMutualInformation")
(Optimizer "AdaptiveStochasticGradientDescent")
(ResampleInterpolator "FinalBSplineInterpolator")
(Resampler "DefaultResampler")
(Transform "EulerTransform")
(NumberOfResolutions 4)
(NumberOfHistogramBins 32)
(MaximumNumberOfIterations 250)
(AutomaticScalesEstimation "true")
(AutomaticTransformInitialization "false")
(UseDirectionCosines "true")
(WriteResultImage "false")
(HowToCombineTransforms "Compose")
"""
SAMPLERS = {
    "random": '(ImageSampler "RandomCoordinate")\n(NumberOfSpatialSamples 2048)\n(NewSamplesEveryIteration "true")\n',
    "all": '(ImageSampler "Full")\n(NewSamplesEveryIteration "false")\n',
}
KINDS = os.environ.get("SAMPLES", "random all").split()
NAMES = {"random": "elastix, 2048 random samples", "all": "elastix, all voxels"}


# ---------------------------------------------------------------- transforms

def apply(m, p):
    return p @ m[:3, :3].T + m[:3, 3]


def euler(text):
    """The map of an elastix file, fixed to moving, mm."""
    def numbers(key):
        return [float(v) for v in re.search(r"\(%s ([^)]*)\)" % key, text).group(1).split()]
    x, y, z, *shift = numbers("TransformParameters")
    centre = np.array(numbers("CenterOfRotationPoint"))
    c, s = np.cos, np.sin
    rx = np.array([[1, 0, 0], [0, c(x), -s(x)], [0, s(x), c(x)]])
    ry = np.array([[c(y), 0, s(y)], [0, 1, 0], [-s(y), 0, c(y)]])
    rz = np.array([[c(z), -s(z), 0], [s(z), c(z), 0], [0, 0, 1]])
    m = np.eye(4)
    m[:3, :3] = rz @ rx @ ry
    m[:3, 3] = centre + shift - m[:3, :3] @ centre
    return m


def tfm(text):
    """The map of ITK's text form."""
    p = [float(v) for v in re.search(r"\nParameters:([^\n]*)", text).group(1).split()]
    c = np.array([float(v) for v in re.search(r"FixedParameters:([^\n]*)", text).group(1).split()][:3])
    m = np.eye(4)
    m[:3, :3] = np.array(p[:9]).reshape(3, 3)
    m[:3, 3] = np.array(p[9:12]) + c - m[:3, :3] @ c
    return m


HEAD = np.array([(x, y, z) for z in range(-60, 61, 20) for y in range(-80, 81, 20) for x in range(-60, 61, 20)], float)


def run_elastix(fixed, moving, kind, threads):
    """Its map, seconds, processor seconds; no map where it fails."""
    with tempfile.TemporaryDirectory() as out:
        with open(out + "/p.txt", "w") as f:
            f.write(PARAMETERS + SAMPLERS[kind])
        begun = time.time()
        child = subprocess.Popen(os.environ.get("ELASTIX", "elastix").split() + ["-f", fixed, "-m", moving, "-p", out + "/p.txt",
                                 "-out", out, "-threads", str(threads)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = status
        seconds, spent = time.time() - begun, used.ru_utime + used.ru_stime
        if status:
            return None, seconds, spent
        return euler(open(out + "/TransformParameters.0.txt").read()), seconds, spent


# -------------------------------------------------------------------- truth

def row(name, errors, seconds, spent):
    n = len(errors)
    good = sum(e <= 0.1 for e in errors)
    found = [e for e in errors if e <= 1]
    print("| %s | %d of %d | %d | %.3f | %.3f | %.2f%s |" % (
        name, good, n, n - len(found), statistics.median(errors), max(found) if found else float("nan"),
        statistics.median(seconds), " (%.2f)" % statistics.median(spent) if spent else ""))


def compare_with_truth(folder, threads, at_once):
    cases = []
    for name in sorted(glob.glob(folder + "/*.case")):
        numbers = np.array([float(v) for v in open(name).read().split()])
        cases.append((name[:-5], numbers[:16].reshape(4, 4), numbers[16:32].reshape(4, 4), numbers[32], numbers[33:36]))
    print("| %d pairs | within 0.1 voxel | more than 1 voxel off | median error | worst of the others | seconds (processor) |"
          "\n|---|---|---|---|---|---|" % len(cases))

    def error(m, truth, spacing):
        return float(np.mean(np.linalg.norm((apply(m, HEAD) - apply(truth, HEAD)) / spacing, axis=1)))

    row("no motion", [error(np.eye(4), t, s) for _, t, _, _, s in cases], [0], None)
    row("endorama", [error(m, t, s) for _, t, m, _, s in cases], [seconds for *_, seconds, _ in cases], None)
    for kind in KINDS:
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            runs = list(pool.map(lambda c: run_elastix(c[0] + "-fixed.mhd", c[0] + "-moving.mhd", kind, threads), cases))
        errors = [float("inf") if r[0] is None else error(r[0], c[1], c[4]) for r, c in zip(runs, cases)]
        row(NAMES[kind], errors, [r[1] for r in runs], [r[2] for r in runs])


# ------------------------------------------------------------------ volumes

def nifti(name):
    """Values [z, y, x] of a little-endian volume, and its voxels -> mm (LPS)."""
    b = gzip.open(name).read() if name.endswith(".gz") else open(name, "rb").read()
    nx, ny, nz = np.frombuffer(b, "<i2", 3, 42)
    code, = np.frombuffer(b, "<i2", 1, 70)
    kind = {2: "u1", 4: "<i2", 8: "<i4", 16: "<f4", 64: "<f8", 256: "i1", 512: "<u2", 768: "<u4"}[int(code)]
    at = int(np.frombuffer(b, "<f4", 1, 108)[0])
    values = np.frombuffer(b, kind, int(nx) * int(ny) * int(nz), at).reshape(nz, ny, nx).astype(float)
    qform, sform = np.frombuffer(b, "<i2", 2, 252)
    m = np.eye(4)
    if sform > 0:
        m[:3] = np.frombuffer(b, "<f4", 12, 280).reshape(3, 4)
    else:
        if qform <= 0:
            raise SystemExit(name + ": has no position")
        side = np.frombuffer(b, "<f4", 4, 76)
        x, y, z, *origin = np.frombuffer(b, "<f4", 6, 256).astype(float)
        w = np.sqrt(max(0, 1 - x * x - y * y - z * z))
        turn = np.array([[w*w+x*x-y*y-z*z, 2*(x*y-w*z), 2*(x*z+w*y)], [2*(x*y+w*z), w*w+y*y-x*x-z*z, 2*(y*z-w*x)],
                         [2*(x*z-w*y), 2*(y*z+w*x), w*w+z*z-x*x-y*y]])
        m[:3, :3] = turn * side[1:] * [1, 1, -1 if side[0] < 0 else 1]
        m[:3, 3] = origin
    return values, np.diag([-1.0, -1, 1, 1]) @ m


def information(fixed, moving, m):
    """Bits, 64 x 64 bins between the values of which 0.1 % lie below and above; trilinear, where both are."""
    (a, wa), (b, wb) = fixed, moving
    z, y, x = np.indices(a.shape)
    p = np.stack([x, y, z], -1).reshape(-1, 3).astype(float)
    p = apply(np.linalg.inv(wb) @ m @ wa, p)
    size = np.array(b.shape[::-1])
    inside = np.all((p >= 0) & (p <= size - 1), axis=1)
    p, v = p[inside], a.reshape(-1)[inside]
    low = np.minimum(p.astype(int), size - 2)
    f, g = p - low, np.zeros(len(p))
    for k in range(8):
        d = np.array([k & 1, k >> 1 & 1, k >> 2])
        at = low + d
        g += np.prod(np.where(d, f, 1 - f), axis=1) * b[at[:, 2], at[:, 1], at[:, 0]]

    def binned(values, of):
        first, last = np.percentile(of, [0.1, 99.9])
        return np.clip((values - first) / (last - first) * 64, 0, 63.999)
    counts = np.histogram2d(binned(v, a), binned(g, b), 64, [[0, 64], [0, 64]])[0] / len(v)
    parts = counts.sum(1)[:, None] * counts.sum(0)[None]
    used = counts > 0
    return float(np.sum(counts[used] * np.log2(counts[used] / parts[used])))


def compare_volumes(fixed, moving, ours, threads):
    a, b = nifti(fixed), nifti(moving)
    maps = [("the headers", np.eye(4), 0, 0), ("endorama", tfm(open(ours).read()), 0, 0)]
    for kind in KINDS:
        m, seconds, spent = run_elastix(fixed, moving, kind, threads)
        maps.append((NAMES[kind], np.eye(4) * np.nan if m is None else m, seconds, spent))
    size = np.array(a[0].shape[::-1])
    centre = apply(a[1], (size - 1) / 2)
    print("| %s, %s | mm from ours, at the middle | degrees from ours | information, bits | seconds (processor) |\n"
          "|---|---|---|---|---|" % (os.path.basename(fixed), os.path.basename(moving)))
    for name, m, seconds, spent in maps:
        turn = m[:3, :3] @ maps[1][1][:3, :3].T
        degrees = np.degrees(np.arccos(np.clip((np.trace(turn) - 1) / 2, -1, 1)))
        print("| %s | %.2f | %.2f | %.4f | %s |" % (name, np.linalg.norm(apply(m, centre) - apply(maps[1][1], centre)), degrees,
              information(a, b, m), "%.2f (%.2f)" % (seconds, spent) if seconds else ""))


if __name__ == "__main__":
    given = sys.argv[1:]
    if given[:1] == ["--parameters"]:
        print(PARAMETERS + SAMPLERS["all" if given[1:] == ["all"] else "random"], end="")
    elif given[:1] == ["--volumes"] and len(given) >= 4:
        compare_volumes(given[1], given[2], given[3], int(given[4]) if len(given) > 4 else 2)
    elif len(given) in (1, 2, 3) and not given[0].startswith("-"):
        compare_with_truth(given[0], *[int(v) for v in given[1:] + ["2", "1"][len(given) - 1:]])
    else:
        raise SystemExit(__doc__)
