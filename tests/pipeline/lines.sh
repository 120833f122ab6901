#!/bin/sh
# SPDX-License-Identifier: MIT
# Lines of programs that use Upmem::Pipeline, beside Table 1 of DaPPA's paper.
#   lines.sh TABLE FILE..
# count.sh has the rule.  TABLE has the paper's (a line each: workload,
# PrIM's, SimplePIM's and DaPPA's lines, file name); a file that it does not name has none of them.
# Prints a table in Markdown and the means; fails if a file has no such lines.
set -eu
table=$1
shift
for file; do
    lines=$(sh "$(dirname "$0")/count.sh" "$file")
    lines=${lines% *}
    [ "$lines" -gt 0 ] || { echo "lines.sh: $file has no pipeline that is executed" >&2; exit 1; }
    echo "$(basename "$file") $lines"
done | awk -F'[ ,]' '
NR == FNR {
    if (FNR == 1) next
    prim[$5] = $2; simple[$5] = $3; dappa[$5] = $4; name[$5] = $1
    published++
    sum_prim += $2; sum_dappa += $4; log_prim += log($2); log_dappa += log($4)
    less += 1 - $4 / $2
    if ($3 != "-") { sum_simple += $3; log_simple += log($3); simples++; less_simple += 1 - $4 / $3 }
    next
}
FNR == 1 {
    print "| workload | PrIM (the paper) | SimplePIM (the paper) | DaPPA (the paper) | here | less than PrIM |"
    print "|---|---:|---:|---:|---:|---:|"
}
{
    here += $2; count++
    if ($1 in prim) { both++; here_less += 1 - $2 / prim[$1]; here_both += $2 }
    printf "| %s | %s | %s | %s | %d | %s |\n", $1 in name ? name[$1] : $1, $1 in prim ? prim[$1] : "-",
        $1 in simple ? simple[$1] : "-", $1 in dappa ? dappa[$1] : "-", $2,
        $1 in prim ? sprintf("%.0f %%", (1 - $2 / prim[$1]) * 100) : "-"
}
END {
    printf "\nThe paper, recomputed: %.0f, %.0f and %.1f lines on average (geometric means %.0f, %.0f, %.1f); DaPPA has %.0f %% less than PrIM, and %.0f %% less than SimplePIM where that has the workload.\n",
        sum_prim / published, sum_simple / simples, sum_dappa / published,
        exp(log_prim / published), exp(log_simple / simples), exp(log_dappa / published),
        less / published * 100, less_simple / simples * 100
    if (both) printf "Here: %.1f lines on average of the %d, %.0f %% less than PrIM.\n", here_both / both, both, here_less / both * 100
    if (count > both) printf "Here, all %d: %.1f lines on average.\n", count, here / count
}' "$table" -
