#!/bin/sh
# SPDX-License-Identifier: MIT
# Random programs with fresh seeds for some time; stops at the first failure and prints its seed.
#   fuzz.sh BUILD_DIR SECONDS
set -u
build=$1
end=$(($(date +%s) + $2))
seed=$(($(date +%s) * 1000))
rounds=0
while [ "$(date +%s)" -lt "$end" ]; do
    for test in test_random_programs test_ezpim_random; do
        if ! "$build/tests/$test" "$seed" 50 >"$build/fuzz.log" 2>&1; then
            cat "$build/fuzz.log"
            echo "fuzz: FAILED: $build/tests/$test $seed 50"
            exit 1
        fi
    done
    seed=$((seed + 50))
    rounds=$((rounds + 1))
    [ ! -t 2 ] || printf '\rfuzz: %d rounds of 100 programs' "$rounds" >&2
done
echo "fuzz: $rounds rounds of 100 programs, none failed"
