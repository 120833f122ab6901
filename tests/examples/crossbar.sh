#!/bin/sh
# SPDX-License-Identifier: MIT
# crossbar.sh BIN SOURCE: crossbars with other partitions, gates and sizes than PyPIM's: instructions
# are verified, an example runs with golden beside it; one without columns for registers is refused.
set -eu
bin=$1 source=$2
data=$source/examples/data
for target in "$source"/examples/technology/crossbar-16.yaml "$source"/tests/recipe/targets/crossbar-*.yaml; do
    "$bin/mpu-recipe" verify --target "$target" --width 3,20 --op ADD,MUL,CMPLTS,SHLI,SHL,SEL,MAX,CAS
    "$bin/mpu-run" --check --target "$target" --in a="$data/axpy-a.npy" --in x="$data/axpy-x.npy" \
        --in y="$data/axpy-y.npy" --expect z="$data/axpy-z.npy" "$source/examples/axpy.ez" >/dev/null
done
if "$bin/mpu-recipe" check --target "$source/tests/recipe/targets/full/crossbar-64.yaml" 2>message.txt; then
    echo "crossbar-64.yaml is not refused"
    exit 1
fi
grep -q "no row is left for registers" message.txt
