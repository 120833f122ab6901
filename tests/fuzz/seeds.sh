#!/bin/sh
# SPDX-License-Identifier: MIT
# Seeds of the harnesses, each kind in a folder of its own: what lies in the repository, and what
# the tools make of it.
#   seeds.sh SOURCE BUILD OUT
set -eu
source=$1
bin=$2/bin
out=$3
rm -rf "$out"
for kind in assembly ezpim python import object package target data; do mkdir -p "$out/$kind"; done

# take KIND FILE...: equal names get numbers.
take() {
    kind=$1 n=0
    shift
    for f in "$@"; do
        n=$((n + 1))
        [ ! -f "$f" ] || cp "$f" "$out/$kind/$n-$(basename "$f")"
    done
}
take assembly "$source"/examples/*.s "$source"/tests/golden/mpu-as/*.s
take ezpim "$source"/examples/*.ez "$source"/tests/ezpim/messages/*.ez
take python "$source"/examples/numpy/*.py "$source"/examples/numpy/float/*.py
take import "$source"/tests/golden/*/*.erc "$source"/tests/golden/*/*.rc
take target "$source"/isa-spec/targets/*.yaml "$source"/examples/technology/*.yaml
for f in "$source"/examples/*.recipe; do
    { echo '#'; cat "$f"; } >"$out/target/$(basename "$f")"
done
"$2/tests/fuzz_seeds" "$out"

# Objects, programs, and programs with packages: of small sources, so that a seed is small.
for name in axpy dot average heat histogram; do
    "$bin/ezpim" -g -c "$source/examples/$name.ez" -o "$out/object/$name.o" 2>/dev/null
    "$bin/ezpim" "$source/examples/$name.ez" -o "$out/object/$name.mpu" 2>/dev/null
done
for name in collatz fig6 fig6-partner; do
    "$bin/mpu-as" "$source/examples/$name.s" -o "$out/object/$name.o" 2>/dev/null
done
"$bin/mpu-ld" --target racer-ideal --size n=1000 "$out/object/axpy.mpu" -o "$out/object/packed.mpu"
