#!/bin/sh
# SPDX-License-Identifier: MIT
# libmpu.so exports exactly the functions that mpu.h declares.
# exports.sh LIBRARY HEADER
set -u
have=$(nm -D --defined-only "$1" | awk '{ print $3 }' | sort)
want=$(sed '/^#/d' "$2" | tr '\n' ' ' | grep -o 'MPU_API [^;]*;' | sed 's/^MPU_API [^(]*[ *]\(mpu_[a-z_]*\)(.*/\1/' | sort)
[ -n "$want" ] || { echo "no declarations found in $2"; exit 1; }
[ "$have" = "$want" ] && exit 0
echo "exported (<) and declared (>) differ:"
printf '%s\n' "$have" >have.$$
printf '%s\n' "$want" | diff have.$$ -
rm -f have.$$
exit 1
