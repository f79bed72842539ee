#!/usr/bin/env bash
# docs/benchmarks.sh [--quick] [ENDO_BENCH]
#
# Runs every benchmark of the CPU and writes docs/benchmarks.md from its CSV. ENDO_BENCH: the program to run; without
# it, ./endorama bench, which builds it. Bash and awk only.
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
page=$top/docs/benchmarks.md
quick= program=
for argument in "$@"; do
  case $argument in
    --quick) quick=--quick ;;
    -*) echo "usage: docs/benchmarks.sh [--quick] [ENDO_BENCH]" >&2; exit 2 ;;
    *) program=$argument ;;
  esac
done

subjects="ncc mosaic panorama ahe exposures"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
read -r load _ < /proc/loadavg
if [ -n "$program" ]; then
  "$program" $subjects $quick --csv "$work/csv" | tee "$work/log"
else
  "$top/endorama" bench $subjects $quick --csv "$work/csv" | tee "$work/log"
fi

# Lines of the log: what was built, and the rates behind the floors.
build=$(awk '/^endorama [0-9]/ { print; exit }' "$work/log")
l1=$(awk '/first-cache loads, / { sub(/.*loads, /, ""); sub(/\.$/, ""); print; exit }' "$work/log")
copy=$(awk '/copied by 1 thread/ { sub(/.*bytes over /, ""); sub(/;.*/, ""); print; exit }' "$work/log")
model=$(awk -F': *' '/^model name/ { print $2; exit }' /proc/cpuinfo)
processors=$(awk '/^processor/ { n++ } END { print n }' /proc/cpuinfo)

# Columns are the back ends (and numbers of threads) in the order in which the CSV names them.
targets() {
  awk -F, '/^target: / {
    sub(/^target: /, "", $1)
    if (!n++) print "| figure | measured | wanted | |\n|---|---:|---:|---|"
    printf "| %s | %.4g %s | %s | %s |\n", $1, $5, $7, $8, $3
  }' "$work/csv"
}

coefficients() {
  awk -F, '
    function number(v) { return v >= 1000 ? sprintf("%.0f", v) : sprintf("%.1f", v) }
    $1 == "ncc" {
      if (!($2 in seen)) { seen[$2] = 1; side[++sides] = $2; best[$2] = 0 }
      if (!($3 in known)) { known[$3] = 1; backend[++backends] = $3 }
      value[$2, $3] = number($5) " (" number($6) ")"
      floor[$2] = $10
      if ($9 > best[$2]) { best[$2] = $9; fastest[$2] = $5 }
    }
    END {
      line = "| side |"; rule = "|---:|"
      for (b = 1; b <= backends; b++) { line = line " " backend[b] " |"; rule = rule "---:|" }
      print line " best, times " backend[1] " | floor | best, times floor |\n" rule "---:|---:|---:|"
      for (s = 1; s <= sides; s++) {
        line = "| " side[s] " |"
        for (b = 1; b <= backends; b++) line = line " " value[side[s], backend[b]] " |"
        printf "%s %.1f | %s | %.1f |\n", line, best[side[s]], number(floor[side[s]]), fastest[side[s]] / floor[side[s]]
      }
    }' "$work/csv"
}

# Tables by size of the kernels that match: rows are kernels, without the part of the name in $2.
stages() {
  awk -F, -v kernels="$1" -v prefix="${2:-}" '
    function number(v) { return sprintf(v < 0.01 ? "%.4f" : v < 1 ? "%.3f" : "%.2f", v) }
    $1 ~ kernels {
      sub("^" prefix, "", $1)
      column = $3 ", " $4 " thread" ($4 == 1 ? "" : "s")
      if (!($2 in seen)) { seen[$2] = 1; size[++sizes] = $2 }
      if (!($1 in known)) { known[$1] = 1; stage[++stages] = $1; unit[$1] = $7 }
      if (!(column in have)) { have[column] = 1; columns[++n] = column }
      value[$2, $1, column] = number($5) " (" number($6) ")"
      median[$2, $1, column] = $5; floor[$2, $1] = $10
    }
    END {
      for (s = 1; s <= sizes; s++) {
        line = "| " size[s] " | unit |"; rule = "|---|---|"
        for (c = 1; c <= n; c++) { line = line " " columns[c] " |"; rule = rule "---:|" }
        print line " a second | floor |\n" rule "---:|---:|"
        for (k = 1; k <= stages; k++) {
          line = "| " stage[k] " | " unit[stage[k]] " |"
          for (c = 1; c <= n; c++) line = line " " value[size[s], stage[k], columns[c]] " |"
          f = floor[size[s], stage[k]]
          last = median[size[s], stage[k], columns[n]]
          printf "%s %s | %s |\n", line, last == "" ? "" : sprintf("%.0f", 1000 / last), f == "" ? "" : number(f)
        }
        print ""
      }
    }' "$work/csv"
}

# Panoramas from end to end: frames a second, and where the time of a frame goes.
panoramas() {
  awk -F, '
    function number(v) { return sprintf(v >= 10 ? "%.1f" : "%.2f", v) }
    $1 == "panorama" || $1 ~ /^panorama: / {
      part = $1 == "panorama" ? "**frames a second**" : substr($1, 11) ", ms a frame"
      column = $3 ", " $4 " thread" ($4 == 1 ? "" : "s")
      if (!($2 in seen)) { seen[$2] = 1; size[++sizes] = $2 }
      if (!(part in known)) { known[part] = 1; parts[++n_parts] = part }
      if (!(column in have)) { have[column] = 1; columns[++n] = column }
      value[$2, part, column] = number($5) " (" number($6) ")"
    }
    END {
      for (s = 1; s <= sizes; s++) {
        line = "| " size[s] " |"; rule = "|---|"
        for (c = 1; c <= n; c++) { line = line " " columns[c] " |"; rule = rule "---:|" }
        print line "\n" rule
        for (k = 1; k <= n_parts; k++) {
          line = "| " parts[k] " |"
          for (c = 1; c <= n; c++) line = line " " value[size[s], parts[k], columns[c]] " |"
          print line
        }
        print ""
      }
    }' "$work/csv"
}

# Forms of the equalization beyond Tables 1 and 2: rows are a kernel with its window, size and image.
forms() {
  awk -F, '
    function number(v) { return v == "" ? "" : sprintf(v < 10 ? "%.2f" : "%.1f", v) }
    $1 ~ /^ahe / {
      row = substr($1, 5) " " $2
      column = $3 ", " $4 " thread" ($4 == 1 ? "" : "s")
      if (!(row in seen)) { seen[row] = 1; rows[++r] = row; unit[row] = $7 }
      if (!(column in have)) { have[column] = 1; columns[++n] = column }
      value[row, column] = number($5) " (" number($6) ")"; floor[row] = $10
    }
    END {
      if (!r) exit
      line = "| form, window, image | unit |"; rule = "|---|---|"
      for (c = 1; c <= n; c++) { line = line " " columns[c] " |"; rule = rule "---:|" }
      print line " floor |\n" rule "---:|"
      for (k = 1; k <= r; k++) {
        line = "| " rows[k] " | " unit[rows[k]] " |"
        for (c = 1; c <= n; c++) line = line " " value[rows[k], columns[c]] " |"
        print line " " number(floor[rows[k]]) " |"
      }
    }' "$work/csv"
}

equalization() { awk -F, -v table="$1" -v image="$2" -v second="cpu, $processors threads" -f "$top/docs/equalization.awk" "$work/csv"; }

thesis() {
  awk 'BEGIN { print "| side | Pentium M: Java 1.0 | Java 1.1 | C by JNI | Athlon64: Java 1.0 | Java 1.1 | C by JNI | 8800GT, 9 a launch | 20 a launch |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|" }
    { gsub(/-/, ""); line = "|"; for (i = 1; i <= NF; i++) line = line " " ($i == "." ? "" : $i) " |"; print line }' <<'TABLE'
15 6887 5308 4048 3007 2010 2019 6800 3487
23 14248 10616 6515 5910 3910 3280 6891 3576
31 24585 18159 10112 10110 6605 5127 7083 5652
39 38272 27796 14459 15384 9769 7439 7122 13506
47 54524 39670 19704 21765 13857 9978 26486 15649
63 . . 31865 . . 16153 28891 20078
95 . . 73592 . . 36400 36682 33100
127 . . 128940 . . 63721 46986 50583
255 . . 528275 . . 260292 115847 174029
TABLE
}

# The medians of the plain loops and of our best beside Table 2 and the last paragraph of section 3 of the paper.
exposures_paper() {
  awk -F, '
    function number(v) { return v == "" ? "" : sprintf("%.3f", v) }
    $1 ~ /^exposures / && $2 == "640x480" {
      if ($3 ~ /^scalar: paper/) scalar[$1] = $5
      else if ($3 !~ /^(scalar|ref)/ && $4 == 1 && (!($1 in ours) || $5 < ours[$1])) ours[$1] = $5
    }
    END {
      print "| step | paper: CPU | GPU | scalar here | ours, one core |\n|---|---:|---:|---:|---:|"
      h = "exposures brightness histogram"; c = "exposures rows and columns"; p = "exposures pair"
      printf "| brightness histogram | 0.503 | 0.076 | %s | %s |\n", number(scalar[h]), number(ours[h])
      printf "| row and column histograms | 5.312 | 0.278 | %s | %s |\n", number(scalar[c]), number(ours[c])
      rest = p in ours && h in ours && c in ours ? ours[p] - 2 * ours[h] - ours[c] : ""
      printf "| correlation (ours: with the check on the bitmaps) | 1.639 | 0.245 | %s | %s |\n", number(scalar["exposures correlation"]), number(rest)
      printf "| whole pair | 7.69 | 1.30 | %s | %s |\n", number(scalar[p]), number(ours[p])
    }' "$work/csv"
}

# Our best of one core beside the two scalar baselines.
exposures_ratios() {
  awk -F, '
    function cells(v, ours) { return v == "" ? " | |" : sprintf(" %.2f | %.1f |", v, v / ours) }
    $1 == "exposures pair" && $4 == 1 {
      if (!($2 in seen)) { seen[$2] = 1; size[++sizes] = $2 }
      if ($3 ~ /^ref/) ref[$2] = $5
      else if ($3 ~ /^scalar: paper/) paper[$2] = $5
      else if ($3 !~ /^scalar/ && (!($2 in ours) || $5 < ours[$2])) ours[$2] = $5
    }
    END {
      print "| size | ours, ms | the same algorithm in scalar C (ref), ms | times ours | the paper'\''s steps alone, scalar, ms | times ours |"
      print "|---|---:|---:|---:|---:|---:|"
      for (s = 1; s <= sizes; s++) {
        k = size[s]
        if (k in ours) printf "| %s | %.3f |%s%s\n", k, ours[k], cells(ref[k], ours[k]), cells(paper[k], ours[k])
      }
    }' "$work/csv"
}

{
  cat <<PAGE
# Benchmarks

Written by \`docs/benchmarks.sh${quick:+ $quick}\`; not edited by hand.

| | |
|---|---|
| processor | $model, $processors processors |
| build | $build |
| date | $(date -u +%Y-%m-%d) |
| load before the run | $load |
| command | \`./endorama bench $subjects${quick:+ $quick}\` |

Times are medians of many repeats, with the 90th percentile in parentheses; the contenders of a table ran in
one run. A floor is what this machine cannot go below for the work at hand: bytes that must be touched, over a
rate measured in the same run.

## Figures to reach

$(targets)

## Correlation coefficient

Nanoseconds a coefficient on one core, by side of the square template. 64 templates spread over a 720 x 576
frame meet the positions of a logarithmic search. *Listing 3.3* is the C loop of the thesis (Sewergin 2009),
with double accumulators, compiled with -O3. Floor: the window's bytes over $l1 of first-cache loads.

$(coefficients)

The thesis's own times on the hardware of 2009 (Tables 3.2, 3.3 and 7.2), in nanoseconds: Pentium M 1.4 GHz,
Athlon64 X2 2.5 GHz, GeForce 8800GT with the transport of the data. For context only: another machine,
compiler and memory.

$(thesis)

## Mosaic

Neighbouring frames of a moving RGB sequence, 64 landmarks, template side 15 at 360 px of width, 31 at 720,
45 above; several pairs a call. *pair* is endo_pairs_register: flow with the pyramid of the new frame, search,
fit and quality. *put and pair and paint* is all that a frame costs from array to panorama. Floor, of the last
column of times: bytes over $copy, and for the search
the bytes of its windows over the rate of first-cache loads.

$(stages '^(copy|flow|search|fit|quality|paint|pair|put)')

## Panoramas

From frames of the demo in memory to the finished panorama by endo_mosaic with its default options: registered, loops
closed, light taken out, blended. The slower runs are in parentheses; of what a run spends beside these parts nothing is said.

$(panoramas)

## Adaptive equalization

Images of 1 to 16 megapixels from the middle of one of 4000 x 4000: tissue (the scene of the demo sequence) and
noise. *Algorithm 2* is the sliding window of Panconi, Parallel Adaptive Histogram Equalization, 2022/23, in C with
-O3, timed on some full columns of the same image in the same run; its pixels and ours are the same. Paper: AMD
Ryzen 7 1700 (OpenMP with 16 threads) and GeForce GTX 1060, Tables 1 and 2. Floor: a byte in and a byte out over the
rate of copying, below 0.1 ms a megapixel.

Milliseconds a megapixel by window, means over the sizes (plain C: up to 4 megapixels), tissue:

$(equalization 1 tissue)

Noise:

$(equalization 1 noise)

How many times faster than Algorithm 2 on one core: ours on one core / on all processors (paper: OpenMP / CUDA),
tissue:

$(equalization 2 tissue)

Noise:

$(equalization 2 noise)

With a contrast limit of 3, with 65,536 levels, and in colour from array to array:

$(forms)

## Alignment of exposures

A pair of exposures of tissue, shifted by up to 48 px and searched over 64 px each way. *scalar: paper only*: the
steps of Guthier, Kopf, Wichtlhuber and Effelsberg, 2012, and no more, as plain loops of one thread without
vectorization, each of the eight row and column histograms by a pass of its own; *one pass*: four at once. Ours also
checks the shift on the bitmaps. *ref: same algorithm*: all that ours does, as its definition reads: scalar C of one
thread without vectorization, timed at VGA only. *pair*: one pair a call, frames put into the store anew before;
*adaptive*: thresholds chosen by content; *batch*: neighbours of a sequence in one call. Everyone finds the shifts
that the frames were made with. Floor: both images (in a batch one) read over the rate of copying. *a second*: of the
last column of times.

$(stages '^exposures ' 'exposures ')

A pair on one core, beside both scalar baselines:

$(exposures_ratios)

Table 2 of the paper, VGA, means in milliseconds: Core 2 Duo 2.13 GHz (one thread) and GeForce GTX 480, beside the
plain loops on this machine. Counted as there: one brightness histogram, eight row and column histograms, one
correlation; the whole pair with both brightness histograms here, with everything in the paper. Our correlation is
what the whole pair takes beyond the other steps; our brightness histogram counts some sixty rows of an image.

$(exposures_paper)
PAGE
} > "$work/page"
mv "$work/page" "$page"
echo "wrote docs/benchmarks.md"
