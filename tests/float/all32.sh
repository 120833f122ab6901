#!/bin/sh
# SPDX-License-Identifier: MIT
# All 2^32 numbers of f32 of functions of the library, by the algorithm in C beside the exact value:
#   all32.sh BUILD STATE [FUNCTION...]
# STATE is a file: a line for each 256th part that is done, with the largest distance in it and where
# it is.  What stands there is not done again, so it may be stopped and started at will.  A part takes
# about four seconds of one core, a function a quarter of an hour.
set -eu
build=$1 state=$2
shift 2
[ $# -gt 0 ] || set -- exp exp2 log log2 log10 sigmoid silu ndtr gelu erfc tanh arctan erf sin cos tan
touch "$state"
for function in "$@"; do
    part=0
    while [ $part -lt 256 ]; do
        if ! grep -q "^$function $part " "$state"; then
            line=$("$build/tests/test_functions" --part "$function" $part) || { echo "$line"; exit 1; }
            echo "$line" >>"$state"
        fi
        part=$((part + 1))
    done
    echo "$function: $(grep "^$function " "$state" | sort -g -k 3 | tail -1)"
done
