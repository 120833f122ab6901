#!/bin/sh
# SPDX-License-Identifier: MIT
# The table of docs/float.md is what the tool counts now.
#   page.sh MPU_RECIPE PAGE [--write]
set -eu
recipe=$1 page=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
targets=racer,racer-magic,racer-felix,racer-ideal,racer-oscar,mimdram,simdram,ambit,duality-cache,pypim
ops=FADD,FSUB,FMUL,FDIV,FSQRT,FCMPEQ,FCMPLT,FCMPLE,FCMPUN,FNEG,FABS,FMIN,FMAX,FSIGN,FZERO
"$recipe" count --csv --target $targets --op $ops,BFADD,BFMUL,BFDIV,BFSQRT --width 16,32,64 >"$work/counts"
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
}' "$work/counts" >"$work/table"
awk -v table="$work/table" '
/^<!-- counts: / { print; while ((getline line < table) > 0) print line; skip = 1; next }
/^<!-- end of counts -->/ { skip = 0 }
!skip { print }' "$page" >"$work/page"
if [ "${3:-}" = --write ]; then
    cp "$work/page" "$page"
elif ! diff -u "$page" "$work/page"; then
    echo "$page is stale: sh tests/float/page.sh build/bin/mpu-recipe $page --write" >&2
    exit 1
fi
# The bounds of logic on machines of NOR gates: 1.25 times half of what AritPIM takes one after
# another, whose counts have a preset for each gate.  racer-magic is above that of FMUL.
awk -F, '
NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
$column["width"] == 32 && $column["target"] ~ /^racer(-oscar|-felix|-ideal|-magic)?$/ {
    op = $column["instruction"]; logic = $column["logic"]
    limit = op == "FADD" ? 2498 : op == "FDIV" ? 12443 : op == "FMUL" ? 7241 : 0
    if (op == "FMUL" && $column["target"] == "racer-magic") limit = 7500
    if (limit && logic + 0 > limit) { print $column["target"], op, logic, "of logic, more than", limit; bad = 1 }
    checked += limit > 0
}
END { exit bad || checked != 15 }' "$work/counts"
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
END { exit bad || checked != 8 }' "$work/counts"
