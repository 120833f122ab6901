#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh BUILD WORK TOOL...: what cmake --install puts where: every tool runs from there and has
# its page; the documentation lies beside it.
set -u
build=$1
prefix=$2/prefix
shift 2
rm -rf "$prefix"
status=0
for part in tools man docs; do
    cmake --install "$build" --component "$part" --prefix "$prefix" >/dev/null || exit 1
done
for tool in "$@"; do
    "$prefix/bin/$tool" --version >/dev/null || { echo "$tool does not run" && status=1; }
    [ -s "$prefix/share/man/man1/$tool.1" ] || { echo "no page of $tool" && status=1; }
done
for file in man5/mpu.5 man5/mpu-target.5 man5/mpu-recipe-file.5 man7/mpu-isa.7; do
    [ -s "$prefix/share/man/$file" ] || { echo "no $file" && status=1; }
done
find "$prefix/share/doc" -name formats.md | grep -q . || { echo "no documentation" && status=1; }
[ ! -e "$prefix/bin/man-gen" ] || { echo "man-gen is no tool" && status=1; }
exit $status
