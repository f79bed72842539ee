#!/usr/bin/env bash
# docs/benchmarks-registration.sh [--from FOLDER] [ENDO_BENCH]
#
# Writes docs/benchmarks-registration.md: how right and how fast pairs, pose graphs, Fourier registration and mutual
# information are. Runs endo_bench on two processors, and on the GPU where there is one; with --from, uses what such a
# run left in a folder: truth.txt, graph.txt, fourier.txt, mutual.txt, fourier-cuda.txt, mutual-cuda.txt, peers.txt
# (native/test/fourier_peers.py), mutual-peers.txt (native/test/mutual_peers.py), machine.txt. What is not there is left out.
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
page=$top/docs/benchmarks-registration.md
from= program=
while [ $# -gt 0 ]; do
  case $1 in
    --from) from=$2; shift ;;
    -*) echo "usage: docs/benchmarks-registration.sh [--from FOLDER] [ENDO_BENCH]" >&2; exit 2 ;;
    *) program=$1 ;;
  esac
  shift
done

bench() {
  if [ -n "$program" ]; then "$program" "$@"; else "$top/endorama" bench "$@"; fi
}

measure() {
  from=$(mktemp -d)
  trap 'rm -rf "$from"' EXIT
  for stem in truth graph fourier mutual; do taskset -c 0,1 "$BASH" -c '"$@"' _ bench_of "$stem" > "$from/$stem.txt"; done
  for stem in fourier-cuda mutual-cuda; do bench "$stem" > "$from/$stem.txt" || rm -f "$from/$stem.txt"; done
  {
    awk -F': *' '/^model name/ { print "processor," $2; exit }' /proc/cpuinfo
    echo "date,$(date +%F)"
  } > "$from/machine.txt"
}

bench_of() { bench "$@"; }
export -f bench bench_of
export program top

[ -n "$from" ] || measure

machine() { awk -F, -v key="$1" '$1 == key { sub(/^[^,]*,/, ""); print; exit }' "$from/machine.txt"; }

# Heading, file, what the command was.
part() {
  [ -s "$from/$2.txt" ] || return 0
  printf '\n## %s\n\n`%s`\n\n' "$1" "$3"
  if [ "${2%peers}" != "$2" ]; then cat "$from/$2.txt"; else printf '```text\n'; cat "$from/$2.txt"; printf '```\n'; fi
}

{
  echo "# Benchmarks of registration"
  echo
  echo "Written by \`docs/benchmarks-registration.sh\` on $(machine date): $(machine processor), two processors of it$(
    [ ! -s "$from/mutual-cuda.txt" ] || sed -n '1s/.*(device 0, \(.*\)).*/; \1/p' "$from/mutual-cuda.txt")."
  echo "Median and p90 of many repeats; floors, ratios and targets as each command prints them."
  part "Pairs of frames, against their truth" truth "endo_bench truth"
  part "Pose graphs" graph "endo_bench graph"
  part "Fourier registration, two processors" fourier "endo_bench fourier"
  part "Fourier registration, GPU" fourier-cuda "endo_bench fourier-cuda"
  part "Fourier registration beside other chains" peers \
    "fourier_accuracy --pairs 60 --seed 5 --dump FOLDER; fourier_peers.py FOLDER 2"
  part "Mutual information, two processors" mutual "endo_bench mutual"
  part "Mutual information, GPU" mutual-cuda "endo_bench mutual-cuda"
  part "Mutual information beside elastix" mutual-peers \
    "ENDO_DUMP=FOLDER ENDO_THREADS=2 mutual_accuracy 8 901; mutual_peers.py FOLDER 2"
} > "$page.new"
mv "$page.new" "$page"
echo "written: ${page#"$top"/}"
