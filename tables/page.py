"""Tables of the page: the papers' numbers beside those of a run."""
import math

import papers

NONE = "-"


def number(value):
    """Three or four digits; a dash for what was not measured."""
    if value is None or math.isnan(value):
        return NONE
    if value == 0 or abs(value) >= 100:
        return "%.0f" % value
    return "%.3g" % value


def markdown(head, lines):
    """Text cells to the left, the rest to the right."""
    text = ["| " + " | ".join(head) + " |", "|" + "---:|" * len(head)]
    text += ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]
    return "\n".join(text) + "\n"


def columns_of(rows, keys, leave_out=()):
    """The back ends that measured any of the keys, in the order of the first."""
    seen = []
    for kernel, size in keys:
        seen += [who for who in rows.of(kernel, size) if who not in seen and who not in leave_out]
    return seen


def beside(rows, first, printed, keys, labels, digits=number):
    """A table: label, printed numbers, ours. printed: lists of cells, one a row; first: their heads."""
    ours = columns_of(rows, keys)
    lines = []
    for label, cells, key in zip(labels, printed, keys):
        measured = rows.of(*key)
        lines.append([label] + list(cells) + [digits(measured.get(who)) for who in ours])
    return markdown(first + ["ours: " + who for who in ours], lines)


# ------------------------------------------------------------------ thesis

def coefficients(rows, table, heads):
    printed = papers.rows(table)
    sides = ["%d" % row[0] for row in printed]
    keys = [("ncc", side) for side in sides]
    cells = [[number(v) for v in row[1:1 + len(heads)]] for row in printed]
    return beside(rows, ["side"] + ["paper: " + head for head in heads], cells, keys, sides)


def coefficients_gpu(rows):
    keys = [("coefficient", "%d" % row[0]) for row in papers.rows(papers.S_7_2)]
    if not columns_of(rows, keys):
        return "No GPU took part in this run.\n"
    return beside(rows, ["side"], [[] for _ in keys], keys, [key[1] for key in keys])


def points(table, swept):
    """Coefficients a pair: without reuse (computed and reused), with (computed)."""
    ours = {int(row["template"]): row for row in swept}
    lines = []
    for side, without, reused, factor in papers.rows(table):
        row = ours[int(side)]
        with_reuse = row["computed"] / row["pairs"]
        all_of_them = (row["computed"] + row["reused"]) / row["pairs"]
        lines.append(["%d" % side, number(without), number(reused), "%.2f" % factor, number(all_of_them),
                      number(with_reuse), "%.2f" % (all_of_them / with_reuse)])
    return markdown(["side", "paper: ls_cross 1.0", "1.1", "factor", "ours: without reuse", "with", "factor"], lines)


def quality(table, swept, key, values):
    """Printed / ours in every cell."""
    ours = {(int(row["template"]), round(row[key], 4)): row["quality"] for row in swept}
    lines = []
    for side, *printed in papers.rows(table):
        cells = ["%.3f / %.3f" % (p, ours[int(side), v]) for p, v in zip(printed, values)]
        mean = sum(ours[int(side), v] for v in values) / len(values)
        lines.append(["%d" % side] + cells + ["%.3f / %.3f" % (printed[-1], mean)])
    return markdown(["side"] + ["%s %g" % (key, v) for v in values] + ["mean"], lines)


# ------------------------------------------------------------ equalization

def window_means(rows, image, window):
    """Means over the sizes that were measured by everyone who took part in all of them; how many sizes."""
    sizes = [rows.of("ahe", "%d %dMp %s" % (window, mp, image)) for mp in (1, 2, 4, 8, 16)]
    sizes = [size for size in sizes if size]
    everyone = [who for who in (sizes[0] if sizes else {}) if all(who in size for size in sizes)]
    return {who: sum(size[who] for size in sizes) / len(sizes) for who in everyone}, len(sizes)


def equalization_times(rows, image):
    printed = papers.rows(papers.P_1)
    means = [window_means(rows, image, int(row[0])) for row in printed]
    ours = []
    for mean, _ in means:
        ours += [who for who in mean if who not in ours]
    lines = [["%d" % row[0]] + [number(v) for v in row[1:]] + [n] + [number(mean.get(who)) for who in ours]
             for row, (mean, n) in zip(printed, means)]
    return markdown(["window", "paper: sequential", "OpenMP", "CUDA mono", "CUDA bi", "ours: sizes"] + ours, lines)


def equalization_gains(rows, image):
    """Printed OpenMP and CUDA; ours on all threads, and the GPU's kernel, against Algorithm 2 on one."""
    windows = (31, 63, 127, 255, 511)
    lines = []
    for megapixels, *printed in papers.rows(papers.P_2):
        cells = []
        for i, window in enumerate(windows):
            measured = rows.of("ahe", "%d %dMp %s" % (window, megapixels, image))
            one = measured.get("Algorithm 2, 1 thread")
            threads = [ms for who, ms in measured.items() if who.startswith("cpu, ")]
            gpu = measured.get("cuda: kernel, 1 thread")
            gains = [one / ms if one and ms else None for ms in (threads[0] if threads else None, gpu)]
            cells.append("%g, %g / %s, %s" % (printed[2 * i], printed[2 * i + 1], number(gains[0]), number(gains[1])))
        lines.append(["%d Mp" % megapixels] + cells)
    return markdown(["image"] + ["window %d" % window for window in windows], lines)


# ------------------------------------------------------------ registration

def exposures(rows):
    steps = ("brightness histogram", "rows and columns", "correlation")
    printed = [["%.3f +- %.3f" % tuple(row[:2]), "%.3f +- %.3f" % tuple(row[2:])] for row in papers.rows(papers.G_2)]
    keys = [("exposures " + step, "640x480") for step in steps]
    # Of a whole pair the paper's text says 1.30 and 7.69.
    keys.append(("exposures pair", "640x480"))
    printed.append(["1.30", "7.69"])
    return beside(rows, ["step", "paper: GPU", "paper: CPU"], printed, keys, steps + ("whole pair",))


def fourier(rows, kernel):
    printed = papers.rows(papers.F_1)
    sides = ["%dx%d" % (row[0], row[0]) for row in printed]
    cells = [[number(v) for v in row[1:5]] for row in printed]
    keys = [(kernel, side) for side in sides]
    return beside(rows, ["size", "paper: CPU", "GTX 580", "GTX 260", "HD 6950"], cells, keys, sides)


def other_methods(rows):
    lines = [["paper: " + method, size, number(ms), device or "not said"] for method, size, ms, device in papers.F_2]
    for side in (512, 1024, 2048):
        for kernel in ("fourier arrays", "fourier pair"):
            lines += [["ours: %s" % kernel, "%d x %d" % (side, side), number(ms), who]
                      for who, ms in rows.of(kernel, "%dx%d" % (side, side)).items()]
    return markdown(["method", "image", "ms", "by"], lines)


def information(rows):
    """One evaluation by bins, and the slowest over the fastest of each back end."""
    bins = (16, 32, 64, 128, 240, 256)
    text = ""
    for kernel in ("mutual evaluation", "mutual evaluation, kernel"):
        keys = [(kernel, "%dx%d bins" % (b, b)) for b in bins]
        ours = columns_of(rows, keys)
        if not ours:
            continue
        lines = [["%d" % b] + [number(rows.of(*key).get(who)) for who in ours] for b, key in zip(bins, keys)]
        spread = []
        for who in ours:
            values = [rows.of(*key)[who] for key in keys if who in rows.of(*key)]
            spread.append("%.2f" % (max(values) / min(values)) if len(values) > 2 else NONE)
        text += markdown(["bins"] + ["ours: " + who for who in ours], lines + [["most / least"] + spread]) + "\n"
    return text


def iterations(rows):
    """Whole registrations, with the evaluations that endo_bench tells on the line after each."""
    lines, last = [], None
    for line in rows.lines:
        words = line.split()
        if " mutual registration " in line and not line.startswith("target"):
            last = line
        elif last and len(words) > 1 and words[1] == "evaluations,":
            name, _, rest = last.partition(" mutual registration")
            measured = rest.split()
            ms = float(measured[2]) * (1e3 if measured[4] == "s" else 1)
            lines.append([name, "%s, %s" % (measured[0], measured[1]), number(ms), words[0], "%.2f" % (ms / int(words[0]))])
            last = None
    return markdown(["search, bins", "by, threads", "ms a registration", "evaluations", "ms an evaluation"], lines)
