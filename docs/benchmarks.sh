#!/usr/bin/env bash
# docs/benchmarks.sh [--quick] [ENDO_BENCH]
#
# Runs every benchmark and writes docs/benchmarks.md from its CSV. ENDO_BENCH: the program to run; without
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

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
read -r load _ < /proc/loadavg
if [ -n "$program" ]; then
  "$program" all $quick --csv "$work/csv" | tee "$work/log"
else
  "$top/endorama" bench all $quick --csv "$work/csv" | tee "$work/log"
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

mosaic() {
  awk -F, '
    function number(v) { return sprintf(v < 0.01 ? "%.4f" : v < 1 ? "%.3f" : "%.2f", v) }
    NR > 1 && $1 != "ncc" && $1 !~ /^target/ {
      column = $3 ", " $4 " thread" ($4 == 1 ? "" : "s")
      if (!($2 in seen)) { seen[$2] = 1; size[++sizes] = $2 }
      if (!($1 in known)) { known[$1] = 1; stage[++stages] = $1; unit[$1] = $7 }
      if (!(column in have)) { have[column] = 1; columns[++n] = column }
      value[$2, $1, column] = number($5) " (" number($6) ")"
      last[$2, $1] = $5; floor[$2, $1] = $10
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
          printf "%s %.0f | %s |\n", line, 1000 / last[size[s], stage[k]], f == "" ? "" : number(f)
        }
        print ""
      }
    }' "$work/csv"
}

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
| command | \`./endorama bench all${quick:+ $quick}\` |

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
45 above; several pairs a call. *pair* is endo_register_pairs: flow with the pyramid of the new frame, search,
fit and quality. *put and pair and paint* is all that a frame costs from array to panorama. Floor, of the last
column of times: bytes over $copy, and for the search
the bytes of its windows over the rate of first-cache loads.

$(mosaic)
PAGE
} > "$work/page"
mv "$work/page" "$page"
echo "wrote docs/benchmarks.md"
