# Tables 1 and 2 of C. Panconi, Parallel Adaptive Histogram Equalization, 2022/23, with ours beside them, from the
# CSV of endo_bench ahe or ahe-cuda. Used by docs/benchmarks.sh and docs/benchmarks-gpu.sh.
#
#   awk -F, -v table=1|2 -v image=tissue|noise [-v first=NAME -v second=NAME] -f docs/equalization.awk FILE
#
# first, second: table 2, whose speed-ups over Algorithm 2 on one core are shown; a column's name as in table 1.
# Without first: the fastest on one core.

function number(v) { return v == "" ? "" : v >= 100 ? sprintf("%.0f", v) : v >= 10 ? sprintf("%.1f", v) : v >= 1 ? sprintf("%.2f", v) : sprintf("%.3f", v) }
function ratio(v) { return v == "" ? "" : v >= 100 ? sprintf("%.0f", v) : sprintf("%.1f", v) }

# Of one window and size; "" if there is no such row.
function gain(who, w, m) {
  return ((who, w, m) in ms) && ((base, w, m) in ms) ? ms[base, w, m] / ms[who, w, m] : ""
}

function fastest_core(w, m,   c, best) {
  for (c = 1; c <= columns; c++)
    if (column[c] ~ /, 1 thread$/ && column[c] != base && (column[c], w, m) in ms &&
        (best == "" || ms[column[c], w, m] < ms[best, w, m])) best = column[c]
  return best
}

function table1(   line, rule, c, w, m, n, sum, i, theirs) {
  line = "| window |"; rule = "|---:|"
  for (c = 1; c <= columns; c++) { line = line " " column[c] " |"; rule = rule "---:|" }
  print line " paper: sequential | OpenMP | CUDA mono | CUDA bi |\n" rule "---:|---:|---:|---:|"
  for (w = 1; w <= windows; w++) {
    line = "| " window[w] " |"
    for (c = 1; c <= columns; c++) {
      n = sum = 0
      for (m = 1; m <= sizes; m++)
        if ((column[c], window[w], size[m]) in ms) { n++; sum += ms[column[c], window[w], size[m]] }
      line = line " " (n ? number(sum / n) : "") " |"
    }
    n = split(paper1[window[w]], theirs, " ")
    for (i = 1; i <= 4; i++) line = line " " theirs[i] " |"
    print line
  }
}

function table2(   line, rule, w, m, one, theirs) {
  line = "| size |"; rule = "|---:|"
  for (w = 1; w <= windows; w++) if (window[w] in paper1) { line = line " " window[w] " |"; rule = rule "---:|" }
  print line "\n" rule
  for (m = 1; m <= sizes; m++) {
    line = "| " size[m] " |"
    for (w = 1; w <= windows; w++) {
      if (!(window[w] in paper1)) continue
      one = first == "" ? fastest_core(window[w], size[m]) : first
      split(paper2[size[m], window[w]], theirs, " ")
      line = line " " ratio(gain(one, window[w], size[m])) " / " ratio(gain(second, window[w], size[m])) " (" theirs[1] " / " theirs[2] ") |"
    }
    print line
  }
}

BEGIN {
  base = "Algorithm 2, 1 thread"
  paper1[31] = "138.4 13.5 25.0 24.9"; paper1[63] = "259.4 21.5 26.3 25.9"; paper1[127] = "460.7 40.1 30.5 27.0"
  paper1[255] = "982.1 79.2 45.8 30.6"; paper1[511] = "1937.7 158.9 103.9 41.2"
  split("31 63 127 255 511", w2, " ")
  rows["1Mp"] = "11.0 5.3 12.2 8.6 10.6 14.6 10.9 26.8 11.2 42.1"; rows["2Mp"] = "10.5 5.0 12.7 9.8 12.4 16.3 13.8 34.0 13.4 45.1"
  rows["4Mp"] = "11.1 5.2 13.2 10.1 12.5 16.8 13.4 32.0 12.2 44.7"; rows["8Mp"] = "9.1 6.0 11.3 10.9 10.7 18.5 12.0 34.1 13.0 54.7"
  rows["16Mp"] = "9.9 6.4 11.2 10.9 11.4 19.2 11.9 33.8 12.3 53.6"
  for (m in rows) { split(rows[m], v, " "); for (i = 1; i <= 5; i++) paper2[m, w2[i]] = v[2 * i - 1] " " v[2 * i] }
}

$1 == "ahe" {
  split($2, part, " ")
  if (part[3] != image) next
  who = $3 ($3 ~ /^cuda|^Algorithm 3/ ? "" : ", " $4 " thread" ($4 == 1 ? "" : "s"))
  if (!(part[1] in seen)) { seen[part[1]] = 1; window[++windows] = part[1] }
  if (!(part[2] in have)) {
    have[part[2]] = 1
    for (i = ++sizes; i > 1 && size[i - 1] + 0 > part[2] + 0; i--) size[i] = size[i - 1]
    size[i] = part[2]
  }
  if (!(who in known)) { known[who] = 1; column[++columns] = who }
  ms[who, part[1], part[2]] = $5
}

END {
  if (!windows) exit
  if (table == 1) table1(); else table2()
}
