#!/usr/bin/env python3
"""Other chains on the pairs that `fourier_accuracy --dump FOLDER` leaves: how many they find, how exactly, how fast.

usage: fourier_peers.py FOLDER [THREADS]

Needs OpenCV, numpy and, for its row, scikit-image. A pair is found when angle, scale and shift are off by less than
1 degree, 2 % and 2 px (of the image with the larger pixels), as fourier_accuracy counts; a chain that says nothing of its
certainty is always sure."""
import csv
import math
import os
import sys
import time

import cv2
import numpy as np

try:
    from skimage.registration import phase_cross_correlation
    from skimage.transform import warp_polar
except ImportError:
    warp_polar = None


def wrap(degrees):
    return (degrees + 180) % 360 - 180


def similarity(angle, scale, dx, dy, side):
    """Current -> reference; dx, dy: where the current image's centre goes, less its own coordinates."""
    c = (side - 1) / 2
    a, b = scale * math.cos(math.radians(angle)), scale * math.sin(math.radians(angle))
    return np.array([[a, -b, c + dx - a * c + b * c], [b, a, c + dy - b * c - a * c]])


def parts(m, side):
    """The inverse of similarity()."""
    c = (side - 1) / 2
    at = m @ np.array([c, c, 1])
    return math.degrees(math.atan2(m[1, 0], m[0, 0])), math.hypot(m[0, 0], m[1, 0]), at[0] - c, at[1] - c


def turn_back(b, angle, scale):
    side = b.shape[0]
    return cv2.warpAffine(b, similarity(angle, scale, 0, 0, side), (side, side), flags=cv2.INTER_LINEAR)


def with_shift(a, b, angle, scale, shift):
    """The better one of a rotation and the one half a turn further, with its shift."""
    best = None
    for twin in (angle, angle + 180):
        dx, dy, height = shift(a, turn_back(b, twin, scale))
        if best is None or height > best[4]:
            best = (wrap(twin), scale, dx, dy, height)
    return best[:4]


def opencv_log_polar(a, b):
    """Magnitudes of the spectra, log-polar, phase correlation: twice, with the twin, as [F] does it."""
    a, b = a.astype(np.float32), b.astype(np.float32)
    side = a.shape[0]
    window = cv2.createHanningWindow((side, side), cv2.CV_32F)
    spectra = []
    for image in (a, b):
        edges = cv2.magnitude(cv2.Sobel(image, cv2.CV_32F, 1, 0), cv2.Sobel(image, cv2.CV_32F, 0, 1))
        magnitude = np.log1p(np.abs(np.fft.fftshift(np.fft.fft2((edges - edges.mean()) * window)))).astype(np.float32)
        spectra.append(cv2.warpPolar(magnitude, (side, side), (side / 2, side / 2), side / 2, cv2.WARP_POLAR_LOG | cv2.INTER_LINEAR))
    half = [s[: side // 2] for s in spectra]
    (sx, sy), _ = cv2.phaseCorrelate(half[0].copy(), half[1].copy(), cv2.createHanningWindow((side, side // 2), cv2.CV_32F))
    angle, scale = -sy * 360 / side, math.exp(sx * math.log(side / 2) / side)

    def shift(r, c):
        (x, y), height = cv2.phaseCorrelate(c, r, window)
        return x, y, height

    return with_shift(a, b, angle, scale, shift)


def skimage_log_polar(a, b):
    """The chain of scikit-image's own example, with its 180 degrees decided by the shift's error."""
    side = a.shape[0]
    window = np.outer(np.hanning(side), np.hanning(side))
    spectra = []
    for image in (a, b):
        band = image.astype(float) - cv2.GaussianBlur(image.astype(np.float32), (0, 0), 20)
        magnitude = np.abs(np.fft.fftshift(np.fft.fft2(band * window)))
        spectra.append(warp_polar(magnitude, radius=side // 8, output_shape=(360, side), scaling="log", order=0)[:180])
    (row, column), _, _ = phase_cross_correlation(spectra[0], spectra[1], upsample_factor=10, normalization=None)
    angle, scale = row, 1 / math.exp(column * math.log(side // 8) / side)

    def shift(r, c):
        (y, x), error, _ = phase_cross_correlation(r, c, upsample_factor=20)
        return x, y, -error

    return with_shift(a.astype(float), b.astype(np.float32), angle, scale, shift)


def sift(a, b):
    finder = cv2.SIFT_create()
    ka, da = finder.detectAndCompute(a, None)
    kb, db = finder.detectAndCompute(b, None)
    if da is None or db is None or len(kb) < 4 or len(ka) < 4:
        return None
    pairs = [m[0] for m in cv2.BFMatcher().knnMatch(db, da, k=2) if len(m) == 2 and m[0].distance < 0.8 * m[1].distance]
    if len(pairs) < 4:
        return None
    source = np.float32([kb[m.queryIdx].pt for m in pairs])
    target = np.float32([ka[m.trainIdx].pt for m in pairs])
    m, inliers = cv2.estimateAffinePartial2D(source, target, method=cv2.RANSAC, ransacReprojThreshold=2, maxIters=5000)
    return None if m is None or inliers.sum() < 8 else parts(m, a.shape[0])


def error(row, answer):
    angle = abs(wrap(answer[0] - float(row["angle"])))
    scale = abs(answer[1] / float(row["scale"]) - 1)
    shift = math.hypot(answer[2] - float(row["dx"]), answer[3] - float(row["dy"])) / max(1, float(row["scale"]))
    return (angle, scale, shift) if angle < 1 and scale < 0.02 and shift < 2 else None


def line(name, errors, sure, n, ms):
    found = [e for e in errors if e]
    wrong = sum(1 for e, s in zip(errors, sure) if s and not e)
    rms = np.sqrt(np.mean(np.square(found), axis=0)) if found else [math.nan] * 3
    print("| %s | %.1f %% | %d | %.4f | %.6f | %.3f | %.1f |" % (name, 100 * len(found) / n, wrong, *rms, np.median(ms)), flush=True)


def main():
    folder = sys.argv[1]
    cv2.setNumThreads(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    rows = list(csv.DictReader(open(os.path.join(folder, "pairs.csv"))))
    ours = [error(r, [float(r["our_" + k]) for k in ("angle", "scale", "dx", "dy")]) for r in rows]
    print("| chain | found | wrong and sure | angle, degrees | scale | shift, px | ms a pair |\n|---|---:|---:|---:|---:|---:|---:|")
    line("endorama, CPU", ours, [r["our_status"] == "0" for r in rows], len(rows), [float(r["our_ms"]) for r in rows])
    chains = [("SIFT + RANSAC (OpenCV)", sift), ("log-polar (OpenCV)", opencv_log_polar)]
    if warp_polar is not None:
        chains.append(("log-polar (scikit-image)", skimage_log_polar))
    for name, chain in chains:
        errors, sure, ms = [], [], []
        for row in rows:
            a, b = (cv2.imread(os.path.join(folder, "%04d-%s.pgm" % (int(row["pair"]), k)), 0) for k in "ab")
            start = time.perf_counter()
            answer = chain(a, b)
            ms.append(1e3 * (time.perf_counter() - start))
            errors.append(error(row, answer) if answer else None)
            sure.append(answer is not None)
        line(name, errors, sure, len(rows), ms)


main()
