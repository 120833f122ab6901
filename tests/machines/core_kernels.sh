#!/bin/sh
# SPDX-License-Identifier: MIT
# Kernels of the toy core by the tools: one launch for all MPUs, sizes from the shape of a buffer, what
# stands behind 'else', limits, faults, and MPUs that do not come.
#   core_kernels.sh SOURCE BIN TOYBIN
set -u
source=$1 PATH=$2:$PATH toy=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
core=$source/tests/machines/core/core.yaml
status=0

# expect WHAT WANTED COMMAND...: the first line that it prints, and its exit code, hold WANTED.
expect() {
    what=$1 wanted=$2
    shift 2
    got=$("$@" 2>&1 | head -n 1)
    case $got in *"$wanted"*) ;; *) echo "$what: '$got', not '$wanted'" && status=1 ;; esac
}
run() { "$toy/mpu-run" --target "$core" "$@"; }

cat >grid.s <<'S'
        .geometry grid=[2]
        .size n
        .buffer inout y: i64[n]
        .buffer out z: i64[2]
        .kernel inc core(y: i64[], z: i64[], a: u64, n: u64)
            beqz x15 go
            end
        go: ld x5 (x1)
            add x5 x5 x3
            st x5 (x1)
            st x4 (x2)
            end
        .endkernel
main:   REPEAT 3
        RECIPE inc(y, z, 5, n + 1)
        REPEAT_END
        HALT
S
expect 'one launch for all MPUs' 'y = 16 2 3' run grid.s --in y=1,2,3 --print y
expect 'a size from a shape' 'z = 5 0' run grid.s --in y=1,2,3,4 --print z
run grid.s --in y=1,2 --stats json:s.json && grep -q '"launches": 3' s.json || { echo 'not 3 launches' && status=1; }
expect 'another shape' "has shape (2,); the variable has shape (3,)" run grid.s --in y=1,2 --size n=3
run grid.s --in y=1,2 --out y=y.npy && run grid.s --in y=1,2 --expect y=y.npy || status=1
expect 'data that nobody gave' "no data was given for input 'y'" run grid.s --size n=2
expect 'a limit' 'the limit of 20 cycles is reached' run grid.s --in y=1 --max-cycles 20
expect 'checking' "kernel 'inc': golden does not interpret" run grid.s --in y=1 --check
expect 'golden' 'engine golden cannot carry it out' run grid.s --in y=1 --engine golden
expect 'resident' "'y' is a buffer" run grid.s --in y=1 --resident y
sed 's/ld x5 (x1)/ld x5 (x3)/' grid.s >fault.s
expect 'a fault' "kernel 'inc', pc 2, fault.s:8: worker 0 finds no 8 bytes at 0x5" run fault.s --in y=1
sed 's/ld x5 (x1)/ld x5 r3/' grid.s >lane.s
expect 'a lane' "lane.s:8:1: error: kernel 'inc': r3 is nothing" run lane.s --in y=1
sed 's/i64\[n\]/i32[n]/; s/y: i64\[\]/y: i32[]/' grid.s >narrow.s
expect 'narrow elements' "elements of 'y' have less than the 8 bytes" run narrow.s --in y=1
cat >apart.s <<'S'
        .geometry grid=[2]
        .kernel nop core() = "end"
        .mpu 0, a
        .mpu 1, b
a:      RECIPE nop()
        HALT
b:      RECIPE nop()
        HALT
S
expect 'MPUs at two calls' 'deadlock: 2 of 2 MPUs wait' run apart.s
sed 's/^b:.*/b:      NOP/' apart.s >ended.s
run ended.s || status=1
exit $status
