#!/bin/sh
# SPDX-License-Identifier: MIT
# What bench_recipes printed, as the tables of docs/speed.md.
#   bench/run.sh build | bench/table.sh
exec awk '
# The number behind "key": in the rest of a line; empty without one.
function number(text, key,    at) {
    at = index(text, "\"" key "\":")
    if (!at)
        return ""
    text = substr(text, at + length(key) + 3)
    match(text, /^-?[0-9.e+-]+/)
    return substr(text, 1, RLENGTH)
}
function word(text, key) {
    text = substr(text, index(text, "\"" key "\":\"") + length(key) + 4)
    return substr(text, 1, index(text, "\"") - 1)
}
# Of {"8":{...,"median":n,...},...} the median at a width.
function median(text, width,    at) {
    at = index(text, "\"" width "\":{")
    return at ? number(substr(text, at), "median") : ""
}
/"benchmark":"verification"/ {
    print "| instructions | forms | lane results | micro-op lanes | processor s | 10^6 lane results a second | 10^9 micro-op lanes a second |"
    print "|---:|---:|---:|---:|---:|---:|---:|"
    printf "| %s | %s | %s | %s | %s | %s | %s |\n\n", number($0, "instructions"), number($0, "forms"),
        number($0, "lane_results"), number($0, "micro_op_lanes"), number($0, "cpu_seconds"),
        number($0, "M_lane_results_per_cpu_s"), number($0, "G_micro_op_lanes_per_cpu_s")
}
/"benchmark":"instruction"/ {
    if (!heading++) {
        print "| instruction | w = 8 | w = 16 | w = 32 | w = 64 |"
        print "|---|---:|---:|---:|---:|"
    }
    name = word($0, "instruction")
    if (seen[name]++)
        name = name " cond"
    printf "| %s |", name
    one = median($0, 1)
    for (w = 8; w <= 64; w *= 2) {
        n = median($0, w)
        if (n == "" && w == 8)
            n = one
        printf " %s |", n == "" ? "" : sprintf(n < 10 ? "%.2f" : n < 100 ? "%.1f" : "%.0f", n)
    }
    print ""
}'
