#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs libmpu, and builds the C examples against what is installed there: with what pkg-config
# says and with find_package(mpu), shared and static each; then runs them.
# example.sh BUILD SOURCE CC CXX
set -eu
build=$1 source=$2 cc=$3 cxx=$4
# By a link, since pkg-config does not quote brackets that the build's own path may have.
links=$(mktemp -d)
trap 'rm -rf "$links"' EXIT
ln -s "$build/tests" "$links/tests"
prefix=$links/tests/libmpu-installed
examples=$source/examples
rm -rf "$prefix"
cmake --install "$build" --component libmpu --prefix "$prefix" >/dev/null
lib=$(dirname "$(find "$prefix" -name libmpu.so | head -n 1)")
export PKG_CONFIG_PATH="$lib/pkgconfig"
test "$(wc -l <"$examples/c/axpy.c")" -le 40
test "$(wc -l <"$examples/c/sweep.c")" -le 50

# with WORDS COMMAND...: the command with what pkg-config says to these words, whose paths may be quoted.
with() {
    words=$1
    shift
    # shellcheck disable=SC2086
    eval "set -- \"\$@\" $(pkg-config $words)"
    "$@"
}

# pkg NAME: NAME and NAME-static in $prefix, as docs/libmpu.md says.
pkg() {
    with '--cflags --libs mpu' "$cc" -std=c11 -Wall -Wextra -Werror "$examples/c/$1.c" -o "$prefix/$1"
    with '--cflags --static --libs mpu' "$cc" -std=c11 "$examples/c/$1.c" -o "$prefix/$1-static" \
        "$(pkg-config --variable=libdir mpu)/libmpu.a" -Wl,--as-needed
}
pkg axpy
pkg sweep
pkg vectors

# The header is C++, too.
with '--cflags --libs mpu' "$cxx" -std=c++11 -Wall -Wextra -Wpedantic -Werror "$examples/c/calls.cc" -o "$prefix/calls"
for target in racer mimdram; do
    LD_LIBRARY_PATH=$lib "$prefix/calls" $target >"$prefix/calls.txt"
    head -n 1 "$prefix/calls.txt" | grep -qx 'the same'
    grep -q '^labels.2.name *exclusive or$' "$prefix/calls.txt"
    grep -q '^labels.2.calls *6$' "$prefix/calls.txt"
done

# DaPPA's pipelines in C++, as Listing 4 of its paper has one.
with '--cflags --libs mpu' "$cxx" -std=c++17 -Wall -Wextra -Werror "$examples/dappa/dot.cc" -o "$prefix/dot"
MPU_DPUS=8 LD_LIBRARY_PATH=$lib "$prefix/dot" | grep -q '^equal'

# PIMeval's calls, by the library's second package; its archive needs libmpu alone.
with '--cflags --libs mpu-pimeval' "$cxx" -std=c++17 -Wall -Wextra -Wpedantic -Werror "$examples/pimeval/hamming.cc" \
    -o "$prefix/hamming"
with '--cflags mpu-pimeval' "$cxx" -std=c++17 "$examples/pimeval/hamming.cc" "$lib/libmpu-pimeval.a" -L"$lib" -lmpu \
    -o "$prefix/hamming-static"
for target in racer mimdram; do
    for program in hamming hamming-static; do
        MPU_TARGET=$target LD_LIBRARY_PATH=$lib "$prefix/$program" >"$prefix/hamming.txt"
        grep -q '^[1-9][0-9]* of 100000 words differ in fewer than 9 bits' "$prefix/hamming.txt"
        grep -q '^ *xor_scalar.uint32.v : *1 ' "$prefix/hamming.txt"
    done
done

# The same as a project of CMake's.
mkdir -p "$prefix/project"
cat >"$prefix/project/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.16)
project(uses_mpu LANGUAGES C CXX)
find_package(mpu 0.1 REQUIRED)
foreach(name axpy sweep vectors)
  add_executable(\${name} "$examples/c/\${name}.c")
  target_link_libraries(\${name} PRIVATE mpu::mpu)
  add_executable(\${name}-static "$examples/c/\${name}.c")
  target_link_libraries(\${name}-static PRIVATE mpu::static)
endforeach()
add_executable(hamming "$examples/pimeval/hamming.cc")
target_link_libraries(hamming PRIVATE mpu::pimeval)
EOF
cmake -S "$prefix/project" -B "$prefix/project/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$prefix" \
    >/dev/null
cmake --build "$prefix/project/build" >/dev/null

# needs WHICH PROGRAM: whether it needs libmpu.so
needs() {
    if readelf -d "$2" | grep -q 'NEEDED.*libmpu\.so'; then [ "$1" = shared ]; else [ "$1" = static ]; fi ||
        { echo "$2 is not $1" && exit 1; }
}

axpy() {
    said=$(LD_LIBRARY_PATH=$lib "$1" "$examples/axpy.ez")
    echo "$said"
    case $said in
    "z[999] = 2998 after "[1-9]*" ps") ;;
    *) echo "unexpected output" && exit 1 ;;
    esac
}

vectors() {
    said=$(LD_LIBRARY_PATH=$lib "$1" mimdram)
    case $said in
    "50142 of 100000 are above 503, after "[1-9]*" ps") ;;
    *) echo "unexpected: $said" && exit 1 ;;
    esac
}

# The table is mpu-run's, and so are the traces.
run=$build/bin/mpu-run
set -- --in a="$examples/data/axpy-a.npy" --in x="$examples/data/axpy-x.npy" --in y="$examples/data/axpy-y.npy" \
    "$examples/axpy.ez"
"$run" --target racer,mimdram --iso-area none --set array.lanes=32,64 "$@" >"$prefix/table.txt"
"$run" --target mimdram --set array.lanes=64 --trace "$prefix/trace.json" "$@"
inputs=$examples/data
sweep() {
    mkdir -p "$prefix/out"
    rm -f "$prefix"/out/*
    LD_LIBRARY_PATH=$lib "$1" "$examples/axpy.ez" "$2" "$prefix/out"
}
same_sweep() {
    sweep "$1" "$inputs" | diff "$prefix/table.txt" - || { echo "another table than mpu-run's" && exit 1; }
    cmp "$prefix/trace.json" "$prefix/out/trace-3.json"
    test "$(find "$prefix/out" -name 'trace-*.json' -size +1k | wc -l)" = 4
}

# What is not as expected is told with its run.
differing_sweep() {
    rm -rf "$prefix/data"
    mkdir "$prefix/data"
    cp "$inputs"/axpy-*.npy "$prefix/data"
    cp "$inputs/axpy-y.npy" "$prefix/data/axpy-z.npy"
    if sweep "$1" "$prefix/data" >/dev/null 2>"$prefix/differs.txt"; then
        echo "a difference was not told" && exit 1
    fi
    grep -q "^sweep: error: 'z' differs from '.*axpy-z.npy' in [0-9]* of [0-9]* elements" "$prefix/differs.txt"
    grep -q "^sweep: note: that was run 'mimdram, array.lanes=64'" "$prefix/differs.txt"
}

for folder in "$prefix" "$prefix/project/build"; do
    for name in axpy sweep vectors; do
        needs shared "$folder/$name"
        needs static "$folder/$name-static"
    done
    axpy "$folder/axpy"
    axpy "$folder/axpy-static"
    vectors "$folder/vectors"
    vectors "$folder/vectors-static"
    same_sweep "$folder/sweep"
    same_sweep "$folder/sweep-static"
done
differing_sweep "$prefix/sweep"
