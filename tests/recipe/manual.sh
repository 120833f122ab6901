#!/bin/sh
# SPDX-License-Identifier: MIT
# manual.sh MANUAL BIN WORK: runs the examples of docs/mpu-recipe.md ("    $ command") in WORK, with
# its block of recipes as xor.recipe.  Where output stands below a command, it must be the same.
set -u
manual=$1 bin=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
PATH=$bin:$PATH
export PATH
sed -n '/^```recipe$/,/^```$/p' "$manual" | sed '/^```/d' >xor.recipe
# One file for each command: it, then what it is to print.
awk '/^    \$ / { n++; print substr($0, 7) >(n ".sh"); printf "" >(n ".want"); on = 1; next }
     /^    / && on { print substr($0, 5) >(n ".want"); next }
     { on = 0 }' "$manual"
status=0
count=0
for script in *.sh; do
    n=${script%.sh}
    count=$((count + 1))
    sh "$script" >"$n.out" 2>&1 || { status=1 && echo "failed: $(cat "$script")" && cat "$n.out"; }
    [ ! -s "$n.want" ] || diff "$n.want" "$n.out" || { status=1 && echo "differs: $(cat "$script")"; }
done
echo "$count examples"
[ "$count" -ge 8 ] && exit $status
exit 1
