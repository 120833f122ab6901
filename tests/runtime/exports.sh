#!/bin/sh
# SPDX-License-Identifier: MIT
# libmpu.so and libmpu.a show exactly the functions that mpu.h, dpu.h and pipeline.h declare.
# exports.sh SHARED STATIC HEADER
set -u
shared=$(nm -D --defined-only "$1" | awk '$3 !~ /___sancov_/ { print $3 }' | sort) # what clang counts with
static=$(nm -g --defined-only "$2" | awk 'NF == 3 && $2 != "u" { print $3 }' | sort) # u: the C++ library's own
want=$(sed '/^#/d' "$3" "$(dirname "$3")/dpu.h" "$(dirname "$3")/pipeline.h" | tr '\n' ' ' | grep -o 'MPU_API [^;]*;' | sed 's/^MPU_API [^(]*[ *]\(mpu_[a-z0-9_]*\)(.*/\1/' | sort)
[ -n "$want" ] || { echo "no declarations found in $3"; exit 1; }
status=0
for have in "$shared" "$static"; do
    [ "$have" = "$want" ] && continue
    echo "shown (<) and declared (>) differ:"
    printf '%s\n' "$have" >have.$$
    printf '%s\n' "$want" | diff have.$$ -
    rm -f have.$$
    status=1
done
exit $status
