#!/bin/sh
# SPDX-License-Identifier: MIT
# The table of costs of docs/float-functions.md is what programs of one function take now.
#   costs.sh BIN PAGE [--write]
set -eu
bin=$1 page=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# One cell for each target: micro-ops of the program.
cells() {
    for target in racer mimdram duality-cache; do
        "$bin/mpu-run" -Wno-recipe-table -Wno-own-text --target $target "$1" --in x=1,2.5,0.75 --stats csv |
            awk -F, '$1 == "total.micro_ops" { printf " %d |", $2 }'
    done
}
for name in f32_exp f32_exp2 f32_log f32_log2 f32_log10 f32_sin f32_ndtr f16_exp f16_log; do
    type=${name%_*}
    printf 'include "float.ez";\nsize n;\ngroup g[n];\nin x: %s @ g;\nout y: %s @ g;\nmain { compute g { y = %s(x); } }\n' \
        $type $type "$name" >"$work/$name.ez"
    "$bin/ezpim" -fproducts -Wno-own-text -o "$work/$name.mpu" "$work/$name.ez"
    printf '| `%s` |%s%s\n' "$name" "$(cells "$work/$name.ez")" "$(cells "$work/$name.mpu")"
done >"$work/rows"
awk -v rows="$work/rows" '
/^\| `f(32|16)_/ { next }
{ print }
/^\| function \| racer / { getline; print; while ((getline line < rows) > 0) print line }
' "$page" >"$work/page"
if [ "${3-}" = --write ]; then
    cp "$work/page" "$page"
else
    diff "$page" "$work/page" || { echo "stale: sh tests/float/costs.sh BIN PAGE --write"; exit 1; }
fi
