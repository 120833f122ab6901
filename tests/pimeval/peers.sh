#!/bin/sh
# SPDX-License-Identifier: MIT
# PIMeval's own programs, whose sources PIMEVAL_DIR names (they are not ours, and not here): each compiles unchanged
# against our header, and runs with its library and with ours on several machines.  What is copied out or reduced has to
# be the same, bit by bit (peer_trace.cc), but for programs that compute with what nobody wrote.
#   peers.sh SOURCE BUILD CXX [TARGET...]; ends with 77 where there are no sources
set -u
source=$1 build=$2 cxx=$3
shift 3
[ $# -gt 0 ] || set -- racer mimdram duality-cache pypim
if [ ! -d "${PIMEVAL_DIR:-}/libpimeval/src" ]; then
    echo "PIMEVAL_DIR names no sources of PIMeval: its programs are not run"
    exit 77
fi
peer=$(cd "$PIMEVAL_DIR" && pwd)
work=$build/tests/pimeval-peers
mkdir -p "$work/library" "$work/objects" "$work/run"
status=0
complain() { echo "$*" && status=1; }

# Its library; ours is built.
if [ ! -f "$work/libpimeval.a" ]; then
    for file in "$peer"/libpimeval/src/*.cpp; do
        "$cxx" -std=c++17 -O2 -w -DPIM_SIM_TARGET=PIM_DEVICE_NONE -c "$file" \
            -o "$work/library/$(basename "$file" .cpp).o" || exit 1
    done
    ar rcs "$work/libpimeval.a" "$work"/library/*.o
fi

# Both have the same functions.
nm -g --defined-only "$work/libpimeval.a" | sed -n 's/.* T \(_Z[0-9]*pim[A-Z].*\)/\1/p' | sort >"$work/peer-names"
nm -D --defined-only "$build/lib/libmpu-pimeval.so" | sed -n 's/.* T //p' | sort >"$work/names"
cmp "$work/peer-names" "$work/names" || complain "the libraries have other functions"

# Inputs that are small: a text with some of the keys in it, and a picture of 24 x 16 pixels.
awk 'BEGIN { srand(1); for (i = 0; i < 400; i++)
    printf "%s", i % 9 ? substr("qwertzuiopasdfghjkl", i % 13 + 1, 5) : i % 2 ? "nkuewhsqmg" : "buqcljjivs"; print "" }' \
    >"$work/text.txt"
awk 'function little(value, bytes) { for (; bytes; bytes--) { printf "\\0%o", value % 256; value = int(value / 256) } }
    BEGIN { printf "BM"; little(54 + 1152, 4); little(0, 4); little(54, 4); little(40, 4); little(24, 4); little(16, 4)
        little(1, 2); little(24, 2); little(0, 4); little(1152, 4); little(2835, 4); little(2835, 4); little(0, 8)
        for (i = 0; i < 1152; i++) little((i * i + 7 * i) % 256, 1) }' >"$work/picture.txt"
printf '%b' "$(cat "$work/picture.txt")" >"$work/picture.bmp"

# Programs by their folders; what is behind a # is not run (weights and pictures of others; 4 and 8 GiB of the host).
cat >"$work/programs" <<EOF
PIMbench/aes -l 1024 -c $work/cipher.txt -o $work/output.txt
PIMbench/axpy -v t
PIMbench/brightness -i $work/picture.bmp -v t
PIMbench/convolution -r 16 -c 16 -d 3 -z 4 -v t
PIMbench/filter-by-key #
PIMbench/gemm -r 256 -d 32 -z 16 -v t
PIMbench/gemv -v t
PIMbench/hdc -d 1024 -R 64 -Q 64 -v t
PIMbench/histogram -i $work/picture.bmp -v t
PIMbench/image-downsampling -i $work/picture.bmp -v t
PIMbench/kmeans -v t
PIMbench/knn -v t
PIMbench/linear-regression -v t
PIMbench/pooling -r 32 -c 32 -d 16 -v t
PIMbench/prefix-sum -v t
PIMbench/radix-sort -v t
PIMbench/random-forest
PIMbench/relu -r 32 -c 32 -d 16 -v t
PIMbench/triangle-count #
PIMbench/vec-add -v t
PIMbench/vgg13 #
PIMbench/vgg16 #
PIMbench/vgg19 #
misc-bench/convolution-batch -r 16 -c 16 -d 3 -z 4 -b 2 -v t
misc-bench/cpp-bitmap
misc-bench/cpp-copy
misc-bench/cpp-dot-prod
misc-bench/cpp-gemm-alt -r 256 -d 64 -z 4
misc-bench/cpp-gemm-batch -r 64 -d 32 -z 16
misc-bench/cpp-gemv-alt -r 512 -d 64
misc-bench/cpp-prefix-sum
misc-bench/cpp-sad
misc-bench/cpp-scale
misc-bench/cpp-transitive-closure
misc-bench/cpp-vec-add-fp32
misc-bench/cpp-vec-arithmetic
misc-bench/cpp-vec-comp
misc-bench/cpp-vec-div
misc-bench/cpp-vec-logical
misc-bench/cpp-vec-mul
misc-bench/cpp-vec-mul-fp32
misc-bench/cpp-vec-popcnt
misc-bench/cpp-vec-reduction
misc-bench/cpp-vec-xor
misc-bench/game-of-life
misc-bench/global-average-pooling
misc-bench/hamming-string-match -t $work/text.txt
misc-bench/histogram-alt -i $work/picture.bmp -v t
misc-bench/pooling-batch -r 32 -c 32 -d 8 -v t
misc-bench/relu-batch -r 32 -c 32 -d 8 -v t
misc-bench/softmax-batch
misc-bench/string-match -t $work/text.txt
EOF
# Arrays that were reserved and not sized, or are read behind their ends; a division by 0, where ours writes more.
undefined=" random-forest cpp-gemv-alt softmax-batch cpp-vec-div "

wrapped=_Z8pimAlloc12PimAllocEnumm11PimDataType,_Z18pimAllocAssociatedi11PimDataType,_Z19pimCopyDeviceToHostiPvmm
wrapped=$wrapped,_Z9pimRedSumiPvmm,_Z9pimRedMiniPvmm,_Z9pimRedMaxiPvmm,_ZNSt13random_device9_M_getvalEv,time
wraps=-Wl$(echo ",$wrapped" | sed 's/,/,--wrap=/g')
include=$source/runtime/include
"$cxx" -std=c++17 -O2 -I"$include/mpu/pimeval" -c "$source/tests/pimeval/peer_trace.cc" -o "$work/trace.o" || exit 1

compile() { # FOLDER NAME
    folder=$peer/$1
    [ ! -d "$folder/PIM" ] || folder=$folder/PIM
    mkdir -p "$work/objects/$2"
    for file in "$folder"/*.cpp; do
        object=$work/objects/$2/$(basename "$file" .cpp).o
        [ -n "$(find "$object" -newer "$include/mpu/pimeval/libpimeval.h" 2>/dev/null)" ] ||
            "$cxx" -std=c++17 -O2 -w -I"$include/mpu/pimeval" -I"$peer/util" -c "$file" -o "$object" || return 1
    done
    "$cxx" "$work/objects/$2"/*.o "$work/trace.o" "$wraps" -o "$work/$2-peer" "$work/libpimeval.a" -lpthread &&
        "$cxx" "$work/objects/$2"/*.o "$work/trace.o" "$wraps" -o "$work/$2-ours" -L"$build/lib" -lmpu-pimeval -lmpu \
            -Wl,-rpath,"$build/lib"
}

# run WHOSE NAME FOLDER ARGUMENTS...: its trace, and CPU seconds and KiB in a line of figures.
run() {
    whose=$1 name=$2 folder=$peer/$3
    shift 3
    [ ! -d "$folder/PIM" ] || folder=$folder/PIM
    program=$work/$name-ours
    [ "$whose" != peer ] || program=$work/$name-peer
    at=$work/run/$name.$whose
    rm -f "$at.trace"
    (
        cd "$folder" || exit 1
        # Both have columns, and so the same properties.
        export PIMEVAL_SIM_TARGET=PIM_DEVICE_BITSIMD_V PIMEVAL_MAX_NUM_THREADS=1 MPU_TARGET="$whose" PIM_TRACE="$at.trace"
        timeout 600 "$program" "$@" >"$at.out" 2>"$at.err"
        echo $? >"$at.status"
        times | tail -n 1 >"$at.times"
    )
}

programs=0 same=0
while read -r folder arguments; do
    name=$(basename "$folder")
    programs=$((programs + 1))
    compile "$folder" "$name" || { complain "$name does not compile" && continue; }
    [ "$arguments" != '#' ] || continue
    # shellcheck disable=SC2086
    run peer "$name" "$folder" $arguments
    for target; do
        # shellcheck disable=SC2086
        run "$target" "$name" "$folder" $arguments
        case $undefined in *" $name "*) continue ;; esac
        at=$work/run/$name
        [ "$(cat "$at.$target.status")" = "$(cat "$at.peer.status")" ] ||
            complain "$name on $target: ends with $(cat "$at.$target.status")"
        if cmp "$at.peer.trace" "$at.$target.trace"; then same=$((same + 1)); else complain "$name on $target: other results"; fi
    done
done <"$work/programs"
echo "$programs programs; $same runs with the same results"
[ $programs -eq 52 ] || complain "not all programs"

# CPU time of all runs: "0m0.123s 0m0.004s".  No limit: it is measured, not tested.
for whose in peer "$@"; do
    cat "$work"/run/*."$whose".times | awk -v whose="$whose" '
        { for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += 60 * part[1] + part[2] } }
        END { printf "%s: %.2f CPU s\n", whose, sum }'
done
exit $status
