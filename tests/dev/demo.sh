#!/bin/sh
# SPDX-License-Identifier: MIT
# The demo runs, its lines fit 80 columns, and its last screen, of 23 lines at most, has a row for
# every machine that is built in; a result that is not the reference's ends it before that screen.
#   demo.sh SOURCE BIN OUT
set -eu
source=$1
PATH=$2:$PATH
out=$3

fail() {
    echo "demo: $*"
    exit 1
}

# copy_with FILE: what the demo needs, in $out/tree, with another last byte in that data file.
copy_with() {
    mkdir -p "$out/tree"
    cp -R "$source/examples" "$out/tree"
    printf '\001' | dd of="$out/tree/examples/data/$1" bs=1 conv=notrunc 2>/dev/null \
        seek=$(($(wc -c <"$out/tree/examples/data/$1") - 1))
}

rm -rf "$out"
mkdir -p "$out/good" "$out/bad"
cd "$source"
sh examples/demo.sh "$out/good" >"$out/shown"
long=$(grep -n '.\{81\}' "$out/shown") && fail "these lines are longer than 80 columns: $long"
screen=$(sed -n '/^== 3/,$p' "$out/shown")
lines=$(echo "$screen" | wc -l)
[ "$lines" -le 22 ] || fail "the last screen has $lines lines, and a blank one above"
# RACER with its own gates stands for its five families, upmem for upmem-dappa with another clock, simt for simt-ponb with its logic elsewhere.
machines=$(mpu-run --list-targets | awk '$1 != "golden" && $1 !~ /^racer-|^upmem-|^simt-/ { print $1 }')
for machine in $machines; do
    # Time and energy with their units, lanes, MPUs.
    row=" +[0-9.]+ [numpf]?s +[0-9.]+ [numpf]?J +[0-9]+ +[0-9]+ +yes"
    echo "$screen" | grep -Eq "^  $machine$row\$" || fail "no row of $machine in: $screen"
done
# The same table is on the first screen of README.md.
sed -n '/^  target /,/^$/p' "$out/good/screen.txt" | sed '$d' >"$out/table"
sed -n '/^  target /,/^```$/p' README.md | sed '$d' >"$out/readme"
cmp -s "$out/table" "$out/readme" || fail "README.md has another table: $(diff "$out/readme" "$out/table")"

for file in axpy-z.npy collatz-steps.npy brightness-bold.pgm; do
    copy_with "$file"
    status=0
    (cd "$out/tree" && sh examples/demo.sh "$out/bad") >"$out/shown" 2>&1 || status=$?
    [ $status = 1 ] || fail "exit $status with another $file"
    ! grep -q ' yes$' "$out/shown" || fail "the last screen is there with another $file"
    grep -q 'error: ' "$out/shown" || fail "no error with another $file: $(cat "$out/shown")"
    rm -rf "$out/tree"
done
