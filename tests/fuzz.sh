#!/bin/sh
# SPDX-License-Identifier: MIT
# Random programs, and the long verification of recipes instruction by instruction, with fresh
# seeds for some time; stops at the first failure and prints its seed.
#   fuzz.sh BUILD_DIR SECONDS
set -u
build=$1
end=$(($(date +%s) + $2))
seed=$(($(date +%s) * 1000))
rounds=0

# try TEST ARGUMENTS...
try() {
    "$build/tests/$@" >"$build/fuzz.log" 2>&1 && return
    cat "$build/fuzz.log"
    echo "fuzz: FAILED: $build/tests/$*"
    exit 1
}

arrays() {
    PYTHONPATH=runtime/python /usr/bin/python3 tests/python/random_arrays.py "$1" 20 \
        golden,racer,mimdram,duality-cache,pypim >"$build/fuzz.log" 2>&1 && return
    cat "$build/fuzz.log"
    echo "fuzz: FAILED: tests/python/random_arrays.py $1 20"
    exit 1
}

# All of NumPy's functions that kernels and devices both have, at each type, on the next machine.
both_ways() {
    target=$(echo racer mimdram duality-cache pypim simdram ambit | cut -d ' ' -f $(($1 % 6 + 1)))
    PYTHONPATH=runtime/python MPU_LIBRARY=build/lib/libmpu.so /usr/bin/python3 \
        tests/python/both_ways.py --all "$2" "$target" >"$build/fuzz.log" 2>&1 && return
    cat "$build/fuzz.log"
    echo "fuzz: FAILED: tests/python/both_ways.py --all $2 $target"
    exit 1
}

while [ "$(date +%s)" -lt "$end" ]; do
    try test_random_programs "$seed" 50
    try test_moves "$seed" 50
    try test_threads_random "$seed" 20
    try test_elastic "$seed" 50
    try test_ezpim_random "$seed" 50
    try test_ezpim_programs "$seed" 50
    try test_ezpim_arrays "$seed" 50
    try test_ezpim_float_random "$seed" 50
    # Floats on the next machine; 500 rounds make 10,000,000 pairs an operation and format.
    try test_floats "$rounds" 1 20000 "$seed"
    # Functions of floats beside long double; 100 rounds make 10,000,000 numbers a function.
    try test_functions 100000 "$seed"
    # Imported programs: blocks in blocks, several VRFs with masks of their own.
    try test_erc_random "$seed" 50
    try test_erc_machines "$seed" 50
    # Kernels in PTX, on golden and on SIMT cores, beside an evaluator of their statements.
    try test_ptx_random "$seed" 30
    try test_simt_random "$seed" 30
    # Kernels in Python, inside of the language and just outside; there where NumPy is.
    [ ! -x "$build/tests/test_np_random" ] || try test_np_random "$seed" 50
    [ ! -x "$build/tests/test_np_random" ] || try test_np_random floats "$seed" 50
    # Arrays of the Python package beside NumPy, by the library of the plain build.
    [ ! -e build/lib/libmpu.so ] || arrays "$seed"
    [ ! -e build/lib/libmpu.so ] || [ $((rounds % 50)) != 8 ] || both_ways $((rounds / 50)) 3,100000
    # Each round the next instruction; where it begins depends on the clock.
    try test_recipe_verify "$seed" $((seed / 50))
    # Tables as logic: eight of each size, one on each machine; 200 rounds are 200 on each.
    try test_recipe_lut "$seed" 8
    # Damaged recipes and target files take as long as ten rounds, as do random technologies of any
    # number of sections, of which a hundred rounds try 200: each refusal is confirmed by other means,
    # as far as there are any, and has to name a key of the file.
    [ $((rounds % 10)) != 4 ] || try test_technologies "$seed" 20 0
    # All ways through another number of sections at another width.
    [ $((rounds % 10)) != 6 ] || try test_sections $((1 + rounds / 10 % 64)) $((1 + rounds * 7 % 64))
    [ $((rounds % 10)) != 9 ] || try test_recipe_hostile "$seed"
    # Damaged programs that are run, and arrays of any type and shape.
    [ $((rounds % 10)) != 2 ] || try test_run_hostile "$seed"
    seed=$((seed + 50))
    rounds=$((rounds + 1))
    [ ! -t 2 ] || printf '\rfuzz: %d rounds of 630 programs and an instruction' "$rounds" >&2
done
echo "fuzz: $rounds rounds of 630 programs and an instruction, none failed"
