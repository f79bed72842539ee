"""Damaged sequences whose truth is known: what is painted is the scene, what is lost is said, one frame spoils no others."""
import random
import re

import formats as f
from engine import Case
from scenes import WRONG, Sequence, read_png, read_table, read_transforms, scene

W, H, COUNT = 160, 120, 14
MOSAIC = ["mosaic", "--input", "{dir}/s.tif", "--output", "{dir}/o.png", "--transforms", "{dir}/t.csv", "--table",
          "{dir}/f.csv"]
# Of the painted pixels so many may differ from everything within REACH pixels of their place in the scene.
SHARE, REACH, LEVELS = 0.01, 2, 14
PIXELS = 2.0


def stack(frames):
    if frames[0].channels == 1:
        return f.imagej_stack(frames)
    return f.tiff([f.page(p) for p in frames])


def seen(run, sequence, first):
    """What the panorama shows that is not the scene; first: the number of the frame that is its origin."""
    place = re.search(r"panorama +\d+ x \d+ px, first frame at \((-?\d+), (-?\d+)\)", run.out)
    if not place:
        return "no panorama"
    picture = read_png(run.path("o.png"))
    n = picture.channels
    x0 = sequence.places[first][0] - int(place.group(1))
    y0 = sequence.places[first][1] - int(place.group(2))
    samples = picture.samples[n // 2::n]
    painted = wrong = 0
    for y in range(0, picture.height, 2):
        for x in range(0, picture.width, 2):
            value = samples[y * picture.width + x]
            if value == 0:
                continue
            painted += 1
            wrong += not in_scene(sequence.scene, x + x0, y + y0, value)
    if painted < 1000:
        return "%d pixels are painted" % (4 * painted)
    return "%.1f %% of what is painted is not the scene" % (100.0 * wrong / painted) if wrong > SHARE * painted else None


def in_scene(scene, x, y, value):
    low, high = 255, 0
    for v in range(max(0, y - REACH), min(scene.height, y + REACH + 1)):
        row = scene.samples[v * scene.width + max(0, x - REACH):v * scene.width + min(scene.width, x + REACH + 1)]
        if row:
            low, high = min(low, min(row)), max(high, max(row))
    return low - LEVELS <= value <= high + LEVELS


def lost(run, sequence, bad, first):
    """Good frames without a place, and the worst error of those with one."""
    got = read_transforms(run.path("t.csv"))
    registered = {int(r["frame"]) for r in read_table(run.path("f.csv")) if r["status"] in ("ok", "doubtful")}
    missing, worst = [], 0.0
    for frame in range(len(sequence.frames)):
        if frame in bad:
            continue
        if frame + 1 not in registered or frame + 1 not in got:
            missing.append(frame + 1)
            continue
        x, y = sequence.truth(frame, first)
        worst = max(worst, abs(got[frame + 1][0] - x), abs(got[frame + 1][1] - y))
    return missing, worst


def status(run, frame):
    return read_table(run.path("f.csv"))[frame]["status"]


def judged(sequence, bad, first):
    def check(run):
        if run.code == 4:
            return "nothing was registered"
        missing, worst = lost(run, sequence, bad, first)
        if worst > PIXELS:
            return "a good frame is off by %.1f px" % worst
        if missing and run.code == 0:
            return "good frames %s are lost, exit code 0" % missing
        if len(missing) > len(sequence.frames) // 2:
            return "good frames %s are lost" % missing
        problem = seen(run, sequence, first)
        if problem:
            return problem
        for frame in bad:
            if status(run, frame) == "ok" and not re.search(r"frames? (\d+-)?%d\b" % (frame + 1), run.err):
                return "frame %d is ok" % (frame + 1)
        return None
    return check


def coloured(frames, colour):
    return [f.rgb(p) for p in frames] if colour else frames


def with_harm(frames, harm, where, colour, rng):
    """Makes the files when they are needed."""
    def files():
        made = coloured(frames, colour)
        return {"s.tif": stack([harm(p, rng) if i in where else p for i, p in enumerate(made)])}
    return files


def wrong_frame_cases(seed):
    for kind, harm in WRONG.items():
        for where in ((6,), (0,), (COUNT - 1,), (5, 6), (3, 9)):
            for colour in (False, True):
                rng = random.Random("%s %s %s" % (seed, kind, where))
                sequence = Sequence(rng.randrange(1000), COUNT, W, H)
                first = 1 if 0 in where else 0
                # Half of a first frame is as good as any: the origin may be its own.
                if first and "half" in kind or first and kind in ("torn", "combed"):
                    continue
                yield Case("sequences", "%s at %s, %s" % (kind, where, "colour" if colour else "grey"), MOSAIC,
                           with_harm(sequence.frames, harm, where, colour, rng), code=(0, "partial"),
                           check=judged(sequence, where, first), core=where == (6,) and not colour and kind in ("half noise", "torn", "black", "foreign"))


def whole_cases(seed):
    for n in range(4):
        sequence = Sequence(seed + n, COUNT, W, H)
        for colour in (False, True):
            yield Case("sequences", "whole %d, %s" % (n, "colour" if colour else "grey"), MOSAIC,
                       with_harm(sequence.frames, None, (), colour, None), says=("14 ok",),
                       check=judged(sequence, (), 0), core=n == 0)


def gap_cases(seed):
    """After so many black frames the scope is back where it was: the rest is found again, or said to be lost."""
    for kind in ("black", "noise", "foreign"):
        for gap in (1, 2, 4, 7, 12):
            sequence = Sequence(seed + gap, 10 + gap + 10, W, H, step=1)
            rng = random.Random(gap)
            bad = range(10, 10 + gap)

            def check(run, sequence=sequence, bad=bad):
                missing, worst = lost(run, sequence, bad, 0)
                if worst > PIXELS:
                    return "a good frame is off by %.1f px" % worst
                if missing and run.code == 0:
                    return "good frames %s are lost, exit code 0" % missing
                return seen(run, sequence, 0)

            yield Case("sequences", "%d frames of %s" % (gap, kind), MOSAIC,
                       with_harm(sequence.frames, WRONG[kind], bad, False, rng), code=(0, "partial"), check=check,
                       core=gap == 7 and kind == "black")


def hot_pixel_cases(seed):
    """16 bits, few of whose values are used, and pixels that are at the end of the range."""
    for n, (hot, value) in enumerate(((1, 65535), (3, 65535), (1, 0), (2, 60000))):
        sequence = Sequence(seed + n, COUNT, W, H)
        rng = random.Random(seed + n)
        frames = [f.deep(p, 3000, 4) for p in sequence.frames]
        for at in (rng.randrange(W * H) for _ in range(hot)):
            for p in frames:
                p.samples[at] = value

        def check(run, sequence=sequence):
            missing, worst = lost(run, sequence, (), 0)
            return "frames %s are lost" % missing if missing else "off by %.1f px" % worst if worst > 1 else None

        yield Case("sequences", "%d hot pixels of %d" % (hot, value), MOSAIC, {"s.tif": f.imagej_stack(frames, "<", 16)},
                   check=check, core=n == 0)


def in_circle(picture, share):
    """Black outside of an endoscope's circle, whose radius is that share of the height."""
    w, h = picture.width, picture.height
    samples = [v if (i % w - (w - 1) / 2) ** 2 + (i // w - (h - 1) / 2) ** 2 <= (share * h) ** 2 else 4
               for i, v in enumerate(picture.samples)]
    return f.Picture(w, h, 1, bytes(samples))


def field_cases(seed):
    """One frame that is dark in part does not cut the field of view of all; the circle lies within, or is cut."""
    sequence = Sequence(seed, 20, W, H, step=2)
    for share in (0.47, 0.56):
        for kind in ("half black", "black", "white", "half green", "none"):
            for where in (0, 10, 19):
                yield Case("sequences", "field of %g, %s at %d" % (share, kind, where), MOSAIC,
                           round_files(sequence.frames, share, kind, where), code=(0, "partial"),
                           check=field_is_whole(share), core=kind == "half black" and where == 10)


def round_files(frames, share, kind, where):
    def files():
        made = [in_circle(p, share) for p in frames]
        if kind != "none":
            made[where] = WRONG[kind](made[where], random.Random(1))
        return {"s.tif": f.imagej_stack(made)}
    return files


def field_is_whole(share):
    def check(run):
        rows = re.search(r"field .*rows (\d+)-(\d+)", run.out)
        if not rows:
            return "no word about the field"
        height = int(rows.group(2)) - int(rows.group(1)) + 1
        wanted = min(H, 2 * share * H)
        return "the field has %d of %d rows" % (height, wanted) if height < 0.9 * wanted else None
    return check


def tall(width, height):
    """A picture of any size, the scene mirrored again and again."""
    scene0 = scene(1)
    rows = [scene0.samples[y * scene0.width:(y + 1) * scene0.width] for y in range(scene0.height)]
    rows += rows[::-1]
    out = b""
    for y in range(height):
        row = rows[y % len(rows)]
        both = row + row[::-1]
        out += (both * (width // len(both) + 1))[:width]
    return f.Picture(width, height, 1, out)


def identical_cases():
    """Equal images have shifts of exactly 0."""
    for width, height, count in ((320, 960, 30), (320, 1080, 12), (300, 961, 12), (1280, 960, 6), (64, 48, 6), (65, 33, 6),
                                 (1920, 1080, 3), (320, 240, 40), (16, 16, 4), (200, 2000, 4)):
        for extra in (["--subpixel"], []):
            def check(run, count=count):
                wrong = [(s, n) for n, s in read_transforms(run.path("t.csv")).items() if s != (0.0, 0.0)]
                return "%d of %d equal frames are moved, at most by %s" % (len(wrong), count, max(wrong)) if wrong else None

            yield Case("sequences", "exposures, %d equal frames of %d x %d %s" % (count, width, height, " ".join(extra)),
                       ["exposures", "--input", "{dir}/s.tif", "--transforms", "{dir}/t.csv"] + extra,
                       lambda size=(width, height), n=count: {"s.tif": f.imagej_stack([tall(*size)] * n)}, code=(0,) if height > 40 else (0, 4),
                       check=check, heap="400m", core=height == 960 and count == 30 and bool(extra))


def long_cases(seed):
    sequence = Sequence(seed, 1500, 96, 72, step=2)

    def check(run):
        missing, worst = lost(run, sequence, (), 0)
        warned = re.search(r"drift|long|shrink|scale", run.text())
        return "off by %.0f px without a warning" % worst if worst > 15 and not warned else None

    yield Case("sequences", "1500 frames", MOSAIC, {"s.tif": f.imagej_stack(sequence.frames)}, code=(0, "partial"),
               check=check, seconds=120)


def cases(seed):
    for group in (whole_cases(seed), wrong_frame_cases(seed), gap_cases(seed), hot_pixel_cases(seed), field_cases(seed),
                  identical_cases(), long_cases(seed)):
        yield from group
