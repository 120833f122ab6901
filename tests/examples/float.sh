#!/bin/sh
# SPDX-License-Identifier: MIT
# Floating-point examples give what NumPy gives, bit by bit where no function of f32 is in them; and, where NumPy is there, the committed
# data is what the script writes.
#   float.sh BIN FOLDER TARGET...
set -u
bin=$1 folder=$2
shift 2
data=$folder/data
failed=0

run() { # TARGET FORMAT NAME RESULT INPUT...
    target=$1 format=$2 name=$3 result=$4
    shift 4
    # Of f32 a function is not always the nearest number; differences make more of that.
    case $format-$name in
    f32-black-scholes | f32-monte-carlo) ulp=64 ;;
    f32-logistic | f32-feed-forward | f32-softmax) ulp=4 ;;
    *) ulp=0 ;;
    esac
    for k in "$@"; do
        set -- "$@" --in "$k=$data/$name-$format-$k.npy"
        shift
    done
    "$bin/mpu-run" -Wno-recipe-table --target "$target" "$folder/$name-$format.ez" "$@" \
        --ulp "$ulp" --expect "$result=$data/$name-$format-$result.npy" || {
        echo "$name-$format on $target"
        failed=1
    }
}

for target in "$@"; do
    for format in f16 f32; do
        run "$target" $format axpy z a x y
        run "$target" $format matmul c a b
        run "$target" $format softmax y x
        run "$target" $format dense y w x b
        run "$target" $format black-scholes call r v s k t
        run "$target" $format monte-carlo worth s k t r v z
        run "$target" $format monte-carlo mean s k t r v z
        run "$target" $format logistic y x w b
        run "$target" $format feed-forward y x w u
    done
done

fresh=$(mktemp -d) || exit 2
trap 'rm -rf "$fresh"' EXIT
if python3 -c 'import numpy' 2>/dev/null; then
    python3 "$folder/reference.py" "$fresh" && diff -r "$fresh" "$data" || failed=1
fi
exit $failed
