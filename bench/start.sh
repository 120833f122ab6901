#!/bin/sh
# SPDX-License-Identifier: MIT
# What tools do before they work: gates that are sequences, and recipes of one's own that a program
# uses; whole processes, user + system time, in turn; JSON.
#   start.sh BUILD_DIR [RUNS] [OTHER_BIN]     OTHER_BIN: tools of another build to compare with
set -eu
LC_ALL=C
export LC_ALL
bin=$1/bin
runs=${2:-9}
other=${3:-}
times=20
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# seconds COMMAND...: of one process, so often in a row that it takes a few ticks of the clock
seconds() {
    ( bash -c 'TIMEFORMAT="%U %S"; time (k=0; while [ $k -lt "$0" ]; do "$@" >/dev/null; k=$((k + 1)); done)' \
        "$times" "$@" ) 2>&1 | tail -n 1 | awk -v n=$times '{ print ($1 + $2) / n }'
}
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# forms FILE INSN...: a program with these at 64 widths
forms() {
    file=$1
    shift
    echo 'main: COMPUTE RFH0 VRF0' >"$file.s"
    for insn; do
        w=1
        while [ $w -le 64 ]; do
            echo "$insn.$w r1 r2 r3" >>"$file.s"
            w=$((w + 1))
        done
    done
    echo COMPUTE_DONE >>"$file.s"
    "$bin/mpu-as" "$file.s" -o "$file.o"
}
cat >"$dir/own.recipe" <<'END'
recipe ADD(a, b) -> d   any w   generic
{
  carry c = 0
  for j in 0 .. w-1 { d[j], c = full(a[j], b[j], c) }
  computes d == a + b
}
recipe XOR(a, b) -> d   any w   generic
{
  for j in 0 .. w-1 { d[j] = a[j] ^ b[j] }
  computes d == a ^ b
}
END
forms "$dir/none" OR
forms "$dir/all" ADD XOR

# An instruction of each target that is mapped to sequences.
i=0
while [ $i -lt "$runs" ]; do
    for x in mimdram:GETC duality-cache:MUX; do
        for b in "$bin" ${other:+"$other"}; do
            [ "$b" = "$bin" ] && name=here || name=other
            seconds "$b/mpu-recipe" expand --target "${x%:*}" --op "${x#*:}" --width 8 >>"$dir/${x%:*}.$name"
        done
    done
    for t in racer mimdram; do
        for p in none all; do
            seconds "$bin/mpu-ld" --target $t "$dir/$p.o" -o "$dir/p.mpu" >>"$dir/$t.$p"
            seconds "$bin/mpu-ld" --target $t --recipe-file "$dir/own.recipe" "$dir/$p.o" -o "$dir/p.mpu" >>"$dir/$t.$p.own"
        done
    done
    i=$((i + 1))
done
printf '{"benchmark": "start", "runs": %d, "expand_milliseconds": {' "$runs"
between=
for t in mimdram duality-cache; do
    printf '%s"%s": %s' "$between" $t "$(median "$dir/$t.here" | awk '{ print 1000 * $1 }')"
    [ -z "$other" ] || printf ', "%s_other": %s' $t "$(median "$dir/$t.other" | awk '{ print 1000 * $1 }')"
    between=', '
done
# reading: own recipes that the program does not use; a form: one of the 128 that it does use
printf '}, "own_recipes": {'
between=
for t in racer mimdram; do
    awk -v a="$(median "$dir/$t.none")" -v b="$(median "$dir/$t.none.own")" -v c="$(median "$dir/$t.all")" \
        -v d="$(median "$dir/$t.all.own")" -v t=$t -v between="$between" 'BEGIN {
        printf "%s\"%s\": {\"reading_milliseconds\": %.2f, \"form_microseconds\": %.1f}", between, t,
            1000 * (b - a), 1e6 * ((d - c) - (b - a)) / 128 }'
    between=', '
done
echo '}}'
