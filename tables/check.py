#!/usr/bin/env python3
"""
Holds the numbers of papers.py against what the papers derive from them: factors and means, to what the print rounds; and
the tables of page.py against rows worked out by hand. Exit code 0 if all agree.
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import measure  # noqa: E402
import page  # noqa: E402
import papers  # noqa: E402


def bad(table, side, printed, derived, tolerance):
    if abs(printed - derived) <= tolerance:
        return 0
    print("%s, row %g: printed %g, derived %g" % (table, side, printed, derived))
    return 1


def factors():
    wrong = 0
    for name in ("S_3_2", "S_3_3"):
        for side, java, better, c, to_better, to_c in papers.rows(getattr(papers, name)):
            wrong += bad(name, side, to_better, java / better, 2e-4) + bad(name, side, to_c, java / c, 2e-4)
    for name in ("S_3_4", "S_3_5"):
        for side, without, reused, factor in papers.rows(getattr(papers, name)):
            wrong += bad(name, side, factor, without / reused, 3e-3)
    for side, cpu, *gpu in papers.rows(papers.F_1):
        for ms, factor in zip(gpu[:3], gpu[3:]):
            wrong += bad("F_1", side, factor, cpu / ms, 1.5)
    return wrong


def means():
    wrong = 0
    # Table 3.6 leaves its two outlying columns out of the mean.
    for name, first in (("S_3_6", 2), ("S_3_7", 0), ("S_3_8", 0), ("S_3_9", 0)):
        for side, *values in papers.rows(getattr(papers, name)):
            wrong += bad(name, side, values[-1], sum(values[first:5]) / (5 - first), 1.1e-4)
    return wrong


def shapes():
    """Columns of every table, and the sides that both tables of the C version have."""
    wrong = 0
    for name, columns in (("S_3_2", 6), ("S_3_3", 6), ("S_3_4", 4), ("S_3_5", 4), ("S_3_6", 7), ("S_3_7", 7),
                          ("S_3_8", 7), ("S_3_9", 7), ("S_7_2", 7), ("P_1", 5), ("P_2", 11), ("G_2", 4), ("F_1", 8)):
        if any(len(row) != columns for row in papers.rows(getattr(papers, name))):
            print("%s: not %d columns in every row" % (name, columns))
            wrong += 1
    for column, name in ((1, "S_3_2"), (2, "S_3_3")):
        c = {row[0]: row[3] for row in papers.rows(getattr(papers, name))}
        for row in papers.rows(papers.S_7_2):
            wrong += bad("S_7_2", row[0], row[column], c.get(row[0], row[column]), 0)
    return wrong


def holds(table, line):
    if line in table.splitlines():
        return 0
    print("not in the table: %s\n%s" % (line, table))
    return 1


def rows_of(text):
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as f:
        f.write("kernel,size,backend,threads,median,p90,unit,baseline,ratio,floor\n" + text)
        f.flush()
        rows = measure.Rows()
        rows.read(f.name)
    return rows


def swept(key, value):
    return [{"template": side, key: value(side), "quality": side / 100, "pairs": 4, "computed": 800, "reused": 400}
            for side in range(15, 56, 2)]


def pages():
    rows = rows_of('exposures pair,640x480,"cpu, all",2,250,260,us a pair,,,\ntarget: x,y,reached,,1,,x,,,\n'
                   "ahe,31 1Mp tissue,Algorithm 2,1,60,61,ms/Mp,,,\nahe,31 4Mp tissue,Algorithm 2,1,80,81,ms/Mp,,,\n"
                   "ahe,31 1Mp tissue,cpu,2,3,4,ms/Mp,,,\nahe,31 4Mp tissue,cpu,2,4,5,ms/Mp,,,\n"
                   "ncc,15,AVX2,1,24.6,25,ns,,,\n")
    rows.lines = ["Powell, 64 bins mutual registration cpu 2 0.5 0.6 s", "  250 evaluations, 0.05 voxels off, status 0"]
    sweep = [{**row, "cthresh": c} for c in (0.7, 0.75, 0.8, 0.85, 0.9) for row in swept("cthresh", lambda side: 0)]
    return (holds(page.exposures(rows), "| whole pair | 1.30 | 7.69 | 0.25 |")
            + holds(page.equalization_times(rows, "tissue"), "| 31 | 138 | 13.5 | 25 | 24.9 | 2 | 70 | 3.5 |")
            + holds(page.equalization_gains(rows, "tissue"), "| 4 Mp | 11.1, 5.2 / 20, - | 13.2, 10.1 / -, - |"
                    " 12.5, 16.8 / -, - | 13.4, 32 / -, - | 12.2, 44.7 / -, - |")
            + holds(page.coefficients(rows, papers.S_3_2, ["Java"]), "| 15 | 6887 | 24.6 |")
            + holds(page.iterations(rows), "| Powell, 64 bins | cpu, 2 | 500 | 250 | 2.00 |")
            + holds(page.points(papers.S_3_4, swept("x", lambda side: 0)), "| 15 | 1872 | 1276 | 1.47 | 300 | 200 | 1.50 |")
            + holds(page.quality(papers.S_3_6, sweep, "cthresh", (0.7, 0.75, 0.8, 0.85, 0.9)),
                    "| 15 | 0.750 / 0.150 | 0.748 / 0.150 | 0.747 / 0.150 | 0.744 / 0.150 | 0.743 / 0.150 | 0.745 / 0.150 |"))


def main():
    wrong = factors() + means() + shapes() + pages()
    if not wrong:
        print("the papers' numbers agree with what is derived from them, and the tables with their rows")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
