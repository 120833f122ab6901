#!/bin/sh
# SPDX-License-Identifier: MIT
# The tables of docs/float.md are what the tool counts now.
#   page.sh MPU_RECIPE PAGE [--write]
set -eu
recipe=$1 page=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
targets=racer,racer-magic,racer-felix,racer-ideal,racer-oscar,mimdram,simdram,ambit,duality-cache,pypim
# count ARITH OPS WIDTHS: the counts, and the table made of them.
count() {
    "$recipe" count --csv --set arith="$1" --target $targets --op "$2" --width "$3" >"$work/$1.csv"
    awk -F, '
NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
{
    target = $column["target"]; key = $column["instruction"] "." $column["width"]
    if (!(target in seen)) { seen[target] = 1; names[++columns] = target }
    if (!(key in rows)) { rows[key] = 1; order[++lines] = key }
    cell[key, target] = $column["micro_ops"] " / " $column["logic"]
}
END {
    printf "| instruction |"; for (i = 1; i <= columns; i++) printf " %s |", names[i]
    printf "\n|---|"; for (i = 1; i <= columns; i++) printf "---:|"
    printf "\n"
    for (l = 1; l <= lines; l++) {
        printf "| %s |", order[l]
        for (i = 1; i <= columns; i++) printf " %s |", cell[order[l], names[i]]
        printf "\n"
    }
}' "$work/$1.csv" >"$work/$1"
}
count exact FADD,FSUB,FMUL,FDIV,FSQRT,FCMPEQ,FCMPLT,FCMPLE,FCMPUN,FNEG,FABS,FMIN,FMAX,FSIGN,FZERO,BFADD,BFMUL,BFDIV,BFSQRT \
    16,32,64
count flush FADD,FMUL,FDIV,FSQRT,FCMPEQ,FCMPLT,FMIN,FZERO,BFADD,BFMUL,BFDIV 16,32,64
awk -v work="$work" '
/^<!-- counts of / {
    print
    name = $4; sub(":", "", name)
    table = work "/" name
    while ((getline line < table) > 0) print line
    skip = 1
    next
}
/^<!-- end of counts -->/ { skip = 0 }
!skip { print }' "$page" >"$work/page"
if [ "${3:-}" = --write ]; then
    cp "$work/page" "$page"
elif ! diff -u "$page" "$work/page"; then
    echo "$page is stale: sh tests/float/page.sh build/bin/mpu-recipe $page --write" >&2
    exit 1
fi
# The bounds of logic on machines of NOR gates, which AritPIM takes one after another with a preset for
# each: half of its counts, and 1.25 times that where subnormal numbers count.
awk -F, '
FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; flush = FILENAME ~ /flush/; next }
$column["width"] == 32 && $column["target"] ~ /^racer(-oscar|-felix|-ideal|-magic)?$/ {
    op = $column["instruction"]; logic = $column["logic"]
    limit = op == "FADD" ? 1998 : op == "FMUL" ? 5793 : op == "FDIV" ? 9954 : 0
    if (!flush) limit = int(limit * 1.25 + 0.5)
    if (limit && logic + 0 > limit) { print $column["target"], op, logic, "of logic, more than", limit; bad = 1 }
    checked += limit > 0
}
END { exit bad || checked != 30 }' "$work/exact.csv" "$work/flush.csv"
# The bounds of words on a crossbar whose partitions work at once: 1.25 times what AritPIM and PyPIM take, who flush
# subnormal numbers and know no infinities; 1.35 times for a product, and 200 for comparisons.
awk -F, '
NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
$column["width"] == 32 && $column["target"] == "pypim" {
    op = $column["instruction"]; words = $column["micro_ops"]
    limit = op == "FADD" ? 1708 : op == "FSUB" ? 1715 : op == "FMUL" ? 1988 : op == "FDIV" ? 5071 : op ~ /^FCMP/ ? 200 : 0
    if (limit && words + 0 > limit) { print "pypim", op, words, "words, more than", limit; bad = 1 }
    checked += limit > 0
}
END { exit bad || checked != 8 }' "$work/exact.csv"
