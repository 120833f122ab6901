#!/bin/sh
# SPDX-License-Identifier: MIT
# fresh.sh RECIPE-PAGE PUBLISHED-PAGE MPU-RECIPE SOURCE WORK: counts the recipes anew into WORK and
# compares with the committed pages and costs.
set -eu
page=$1 published=$2 tool=$3 source=$4 work=$5
rm -rf "$work"
mkdir -p "$work"
"$page" "$source/docs/mastodon.csv" "$work/recipe-counts.md" "$source"/tests/recipe/hand/racer-*.recipe
"$published" "$source/docs/mastodon.csv" "$work/published-counts.md"
"$tool" count --target all --csv -o "$work/costs.csv"
status=0
diff "$source/docs/recipe-counts.md" "$work/recipe-counts.md" || status=1
diff "$source/docs/published-counts.md" "$work/published-counts.md" || status=1
diff "$source/isa-spec/costs.csv" "$work/costs.csv" || status=1
[ $status = 0 ] || echo "stale: cmake --build build --target recipe-generate, then isa-generate"
exit $status
