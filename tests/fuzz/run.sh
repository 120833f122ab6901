#!/bin/sh
# SPDX-License-Identifier: MIT
# libFuzzer on each harness in turn, for an equal share of the time; stops at the first finding.
# What reached new code is kept and goes on from there the next time.
#   run.sh SOURCE BUILD SECONDS
set -eu
source=$1
build=$2
kinds=$(cat "$build/fuzz-kinds")
share=$(($3 / $(wc -l <"$build/fuzz-kinds")))
[ "$share" -ge 1 ] || share=1
found=$build/fuzz-found
sh "$source/tests/fuzz/seeds.sh" "$source" "$build" "$build/fuzz-seeds"
for kind in $kinds; do
    mkdir -p "$build/fuzz-corpus/$kind" "$found"
    # A text of 8 KB may ask for some millions of steps, which all have their bounds.
    "$build/tests/libfuzzer_$kind" -max_total_time="$share" -timeout=60 -rss_limit_mb=2048 -max_len=8192 \
        -print_final_stats=1 -artifact_prefix="$found/$kind-" \
        "$build/fuzz-corpus/$kind" "$build/fuzz-seeds/$kind" >"$build/fuzz.log" 2>&1 || {
        tail -n 40 "$build/fuzz.log"
        echo "fuzz: FAILED: $build/tests/libfuzzer_$kind; the input is in $found"
        exit 1
    }
    sed -n "s/^stat::number_of_executed_units: *\(.*\)/fuzz: $kind: \1 inputs, none failed/p" "$build/fuzz.log"
done
