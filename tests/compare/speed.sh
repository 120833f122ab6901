#!/bin/sh
# SPDX-License-Identifier: MIT
# How fast this checkout's build is beside that of another one: bench_engine and bench_control of both in
# turn, and of each figure the median of the pairs' quotients.  bench/README.md says what the figures are.
#   speed.sh BUILD OTHER [PAIRS]
# OTHER: the other checkout, built in OTHER/build; PAIRS: how often (9).
set -u
export LC_ALL=C
usage() {
    echo "usage: ./dev compare --speed OTHER [PAIRS]    OTHER: a checkout with build/bench" >&2
    exit 2
}
[ $# -ge 2 ] && [ $# -le 3 ] || usage
case ${3:-9} in *[!0-9]* | 0 | "") usage ;; esac
build=$(cd "$1" && pwd) || exit 3
other=$(cd "$2" && pwd)/build || exit 3
pairs=${3:-9}
here=$(cd "$(dirname "$0")" && pwd)
benches="bench_engine bench_control"
for bench in $benches; do
    for folder in "$build" "$other"; do
        [ -x "$folder/bench/$bench" ] || {
            echo "compare: '$folder/bench/$bench' is not there: run ./dev build in that checkout" >&2
            exit 3
        }
    done
done
work=$build/compare-speed
rm -rf "$work"
mkdir -p "$work" || exit 3
cd "$work" || exit 3

# measure SIDE BUILD BENCH: a line "SIDE figure number" for each figure.
measure() {
    "$2/bench/$3" >"$work/json" || exit 3
    awk -f "$here/json.awk" "$work/json" |
        awk -v side="$1" -v bench="${3#bench_}" '
            /^[^ ]*(\.median|_over_[a-z]+): / {
                sub(/(\.median)?: /, " ")
                sub(/^builds\./, "")
                print side, bench "." $0
            }' >>"$work/figures"
}

pair=0
while [ $pair -lt "$pairs" ]; do
    [ ! -t 2 ] || printf '\rpair %d of %d' $((pair + 1)) "$pairs" >&2
    for bench in $benches; do
        # Who is first changes, as does what the machine does beside.
        if [ $((pair % 2)) = 0 ]; then
            measure old "$other" $bench
            measure new "$build" $bench
        else
            measure new "$build" $bench
            measure old "$other" $bench
        fi
    done
    pair=$((pair + 1))
done
[ ! -t 2 ] || printf '\r                    \r' >&2

echo "old: ${other%/build}"
echo "new: $(cd "$here/../.." && pwd)"
echo "medians of $pairs pairs, in which old and new ran one after the other"
awk '
# The i-th of n numbers in ascending order.
function ranked(list, n, i,    a, b, x) {
    for (a = 2; a <= n; a++) {
        x = list[a]
        for (b = a - 1; b > 0 && list[b] > x; b--)
            list[b + 1] = list[b]
        list[b + 1] = x
    }
    return list[i]
}
{
    if (!seen[$2]++)
        names[++count] = $2
    n = ++runs[$1, $2]
    value[$1, $2, n] = $3
}
END {
    printf "%-44s %10s %10s %8s %8s %8s\n", "", "old", "new", "new/old", "least", "most"
    for (k = 1; k <= count; k++) {
        name = names[k]
        n = runs["old", name]
        if (n != runs["new", name]) {
            only = only " " name
            continue
        }
        for (i = 1; i <= n; i++) {
            old[i] = value["old", name, i]
            new[i] = value["new", name, i]
            ratio[i] = new[i] / old[i]
        }
        middle = int((n + 1) / 2)
        before = ranked(old, n, middle)
        after = ranked(new, n, middle)
        quotient = ranked(ratio, n, middle)
        printf "%-44s %10.4g %10.4g %8.3f %8.3f %8.3f\n", name, before, after, quotient, ratio[1], ratio[n]
    }
    if (only)
        print "of one build only:" only
}' "$work/figures"
