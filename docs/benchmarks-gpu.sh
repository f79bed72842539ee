#!/usr/bin/env bash
# docs/benchmarks-gpu.sh [--from FOLDER] [ENDO_BENCH]
#
# Writes docs/benchmarks-gpu.md on a machine with an NVIDIA GPU: runs `endo_bench cuda devices ahe-cuda exposures-cuda`
# and the end-to-end benchmark from Java; rows of several GPUs are left out where there is one. With --from, uses what
# such a run left in a folder instead: cuda.csv, cuda.txt, java.csv, machine.txt; tables of which java.csv has no row are
# left out. Bash and awk only.
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
page=$top/docs/benchmarks-gpu.md
from= program=
while [ $# -gt 0 ]; do
  case $1 in
    --from) from=$2; shift ;;
    -*) echo "usage: docs/benchmarks-gpu.sh [--from FOLDER] [ENDO_BENCH]" >&2; exit 2 ;;
    *) program=$1 ;;
  esac
  shift
done

measure() {
  from=$(mktemp -d)
  trap 'rm -rf "$from"' EXIT
  if [ -n "$program" ]; then
    "$program" cuda devices ahe-cuda exposures-cuda --csv "$from/cuda.csv" | tee "$from/cuda.txt"
  else
    "$top/endorama" bench cuda devices ahe-cuda exposures-cuda --csv "$from/cuda.csv" | tee "$from/cuda.txt"
  fi
  "$top/endorama" bench-java > "$from/java.csv"
  gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU' || true)
  if [ "$gpus" -ge 2 ]; then "$top/endorama" bench-java 3840x2160 24 300 "CUDA,CUDA:$gpus" >> "$from/java.csv"; fi
  "$top/endorama" bench-java ahe >> "$from/java.csv"
  {
    awk -F': *' '/^model name/ { print "processor," $2; exit }' /proc/cpuinfo
    echo "processors,$(nproc)"
    echo "date,$(date +%F)"
  } > "$from/machine.txt"
}

[ -n "$from" ] || measure

machine() { awk -F, -v key="$1" '$1 == key { sub(/^[^,]*,/, ""); print; exit }' "$from/machine.txt"; }

commands=$(machine commands)
: "${commands:=\`endo_bench cuda devices ahe-cuda exposures-cuda\`, \`./endorama bench-java\`, \`./endorama bench-java ahe\`}"

targets() {
  awk -F, '/^target: / {
    sub(/^target: /, "", $1)
    if (!n++) print "| figure | measured | wanted | |\n|---|---:|---:|---|"
    printf "| %s (%s) | %.4g %s | %s | %s |\n", $1, $2, $5, $7, $8, $3
  }' "$from/cuda.csv"
}

# A heading and the table that a command prints, if java.csv has rows of it.
section() {
  if ! grep -q "^$1," "$from/java.csv"; then return; fi
  printf '%s\n\n' "$2"
  "${@:3}"
}

# Awk: collects cells by row and column, and prints them as a table. head, rule: of the columns before them.
pivot='
  function cell(row, column, text) {
    if (!(row in seen)) { seen[row] = 1; rows[++n_rows] = row }
    if (!(column in known)) { known[column] = 1; columns[++n_columns] = column }
    value[row, column] = text
  }
  function table(head, rule,   line, r, c) {
    if (!n_rows) return
    for (c = 1; c <= n_columns; c++) { head = head " " columns[c] " |"; rule = rule "---:|" }
    print head "\n" rule
    for (r = 1; r <= n_rows; r++) {
      line = "| " rows[r] " |"
      for (c = 1; c <= n_columns; c++) line = line " " value[rows[r], columns[c]] " |"
      print line
    }
  }'

# Rows: sizes of one kernel (those that match $2); columns: back ends with their threads.
table() {
  awk -F, -v kernel="$1" -v sizes_like="${2:-.}" "$pivot"'
    function number(v) { return v >= 1000 ? sprintf("%.0f", v) : v >= 10 ? sprintf("%.1f", v) : v >= 1 ? sprintf("%.2f", v) : sprintf("%.3f", v) }
    $1 == kernel && $2 ~ sizes_like {
      who = $3 ($3 == "cpu" || $3 == "Algorithm 2" ? ($4 == 1 ? ", 1 thread" : ", " $4 " threads") : "")
      cell($2, who, number($5) " (" number($6) ")")
    }
    END { table("| size |", "|---:|") }' "$from/cuda.csv"
}

# Rows: what several GPUs are compared in; columns: how many. Nothing where there was one.
several() {
  awk -F, "$pivot"'
    $1 ~ /^devices: / { cell(substr($1, 10) ", " substr($7, 4), $3, sprintf("%.0f (%.0f)", $5, $6)) }
    END {
      if (!n_rows) exit
      print "Several GPUs, 3840x2160, microseconds. Put: the processor copies every frame once on its way, and where that"
      print "takes as long as one link does, a second GPU shortens the registration alone. Mosaic: frames put, pairs with"
      print "quality, painting, chunk by chunk.\n"
      table("| |", "|---|")
    }' "$from/cuda.csv"
}

equalization() {
  threads=$(awk -F, '$1 == "ahe" && $3 == "cpu" { print $4; exit }' "$from/cuda.csv")
  awk -F, -v table="$1" -v image="$2" -v first="cpu, $threads threads" -v second="cuda: kernel" \
    -f "$top/docs/equalization.awk" "$from/cuda.csv"
}

java_table() {
  awk -F, -v kind="$1" '
    $1 == kind {
      if (!n++) print "| frames | method, solve, painting | back end | " kind " |\n|---|---|---|---:|"
      printf "| %s | %s | %s | %s |\n", $2, $3, $4, $5
    }' \
    "$from/java.csv"
}

# Milliseconds an image; java.csv: ahe,<size and type>,<options>,<back end>,<ms>.
java_ahe() {
  awk -F, "$pivot"'
    $1 == "ahe" { cell($2 " | " $3, $4, $5) }
    END { table("| image | options |", "|---|---|") }' "$from/java.csv"
}

{
  cat <<END
# Benchmarks with a GPU

Written by \`docs/benchmarks-gpu.sh\`; not edited by hand.

| | |
|---|---|
| device and processor | $(awk '/^cuda \(/ { print; exit }' "$from/cuda.txt"), $(machine processor) |
| build | $(awk '/^endorama [0-9]/ { print; exit }' "$from/cuda.txt") |
| date | $(machine date) |
| commands | $commands |

Medians of many repeats, the 90th percentile in parentheses. *kernel*: device time between events around the
kernels. *call*: the whole call, arguments up and results down, frames resident on the device. CPU and GPU ran in
one run, on one machine, and give the same bytes.

## Figures to reach

$(targets)

## Time of one coefficient (Table 7.2 of the thesis)

Nanoseconds, by side of the template. *Listing 3.3*: the thesis's C loop, one core. *thesis*: its GPU design on
this card, nine or twenty coefficients a launch, sums back to the host each time. A call of the batched kernel
carries 24 bytes up and 8 down for every coefficient, which is most of its time; the search has no such traffic.

$(table coefficient)

## Stages of the mosaic, microseconds

Flow (pyramids made), a pair:

$(table flow)

Logarithmic search of 64 landmarks, template by frame size, a pair:

$(table search)

Whole pair (flow, search, fit), and with the quality measure:

$(table "pair without quality")

$(table pair)

A frame into the store (copy, upload, grey), and onto the canvas:

$(table put)

$(table paint)

One pair alone, from an array in host memory to its vectors:

$(table "one pair from an array")

$(several)

## Adaptive equalization

Images of 1 to 16 megapixels from the middle of one of 4000 x 4000: tissue (the scene of the demo sequence) and
noise. *Algorithm 3*: the GPU kernel of Panconi, Parallel Adaptive Histogram Equalization, 2022/23, built from its
text, on this card, with the size of regions (16, 32, 64 or 128 px) that suits it best; *Algorithm 2*: its
sliding window on one core of this machine. All give the same pixels. *cuda: call*: from an array in host memory to
another one. Paper: AMD Ryzen 7 1700 (OpenMP with 16 threads) and GeForce GTX 1060, Tables 1 and 2.

Milliseconds a megapixel by window, means over the sizes (windows outside the paper: 16 megapixels), tissue:

$(equalization 1 tissue)

Noise:

$(equalization 1 noise)

How many times faster than Algorithm 2 on one core: ours on all cores / the GPU's kernel (paper: OpenMP / CUDA),
tissue:

$(equalization 2 tissue)

By window, 16 megapixels of tissue, milliseconds a megapixel:

$(table ahe ' 16Mp tissue')

With a contrast limit of 3; with 65,536 levels, and with a limit; in colour from array to array, milliseconds an
image:

$(table "ahe limited")

$(table "ahe 16 bit")

$(table "ahe 16 bit limited")

$(table "ahe RGB")

$(section ahe "From a Java array to a Java array, milliseconds an image (\`./endorama bench-java ahe\`):" java_ahe)

## Alignment of exposures, microseconds

Thresholds at the medians, 64 bins, shifts of up to 64 px each way, frames resident and put anew before: one pair a
call, and neighbours of a sequence in one call (1,000 pairs, at 4000x3000 100; on the CPU 31, 15 and 5). Everyone
finds the shifts that the frames were made with. For scale: a VGA pair took 1,300 on a GeForce GTX 480, transport
included, and 7,690 on a Core 2 Duo 2.13 GHz (Guthier, Kopf, Wichtlhuber and Effelsberg, 2012, section 3).

$(table "exposures pair")

$(table "exposures batch")

## From Java arrays to the finished panorama

$(section end_to_end "Frames a second, RGB, everything included:" java_table end_to_end)
END
} | cat -s > "$page.new"
mv "$page.new" "$page"
echo "wrote $page"
