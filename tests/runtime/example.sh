#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs libmpu, builds the C example with what pkg-config says, and runs it, shared and static.
# example.sh BUILD SOURCE CC
set -eu
build=$1 source=$2 cc=$3
prefix=$build/tests/libmpu-installed
rm -rf "$prefix"
cmake --install "$build" --component libmpu --prefix "$prefix" >/dev/null
lib=$(dirname "$(find "$prefix" -name libmpu.so | head -n 1)")
export PKG_CONFIG_PATH="$lib/pkgconfig"
test "$(wc -l <"$source/examples/c/axpy.c")" -le 40
# shellcheck disable=SC2046
$cc -std=c11 -Wall -Werror "$source/examples/c/axpy.c" -o "$prefix/axpy" $(pkg-config --cflags --libs mpu)
expect() {
    echo "$1"
    case $1 in
    "z[999] = 2998 after "[1-9]*" ps") ;;
    *) echo "unexpected output"; exit 1 ;;
    esac
}
expect "$(LD_LIBRARY_PATH=$lib "$prefix/axpy" "$source/examples/axpy.ez")"
# shellcheck disable=SC2046
$cc -std=c11 "$source/examples/c/axpy.c" -o "$prefix/axpy-static" $(pkg-config --cflags mpu) \
    "$lib/libmpu.a" $(pkg-config --static --libs mpu | sed 's/ *-lmpu / /')
expect "$("$prefix/axpy-static" "$source/examples/axpy.ez")"
