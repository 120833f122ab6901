#!/bin/sh
# SPDX-License-Identifier: MIT
# PrIM's ten workloads beside DaPPA's six (workloads.sh): equal to the host's results, of sizes that
# nothing divides, on one DPU and many, with one tasklet and many; pipelines on planes, too.  Sizes that a
# program cannot take are refused.  And docs/prim.md has the lines that they have.
#   prim.sh FOLDER-OF-PROGRAMS BIN SOURCE WORK
set -eu
programs=$1 bin=$2 source=$3
mkdir -p "$4"
cd "$4"

# equal PROGRAM ARGUMENT..
equal() {
    program=$1
    shift
    "$programs/prim-$program" "$@" >out 2>&1 && grep -q ': equal$' out || {
        echo "prim-$program $* on ${MPU_TARGET:-upmem-dappa}, ${MPU_DPUS:-} DPUs:"
        cat out
        exit 1
    }
}
# refused TEXT PROGRAM ARGUMENT..
refused() {
    text=$1 program=$2
    shift 2
    "$programs/prim-$program" "$@" >out 2>&1 && status=0 || status=$?
    [ $status = 2 ] && grep -qF -- "$text" out || {
        echo "prim-$program $*: exit $status, not '$text':"
        cat out
        exit 1
    }
}

pipelines() {
    equal mlp neurons=5 seed=3
    equal spmv rows=23 columns=5 longest=3 seed=2
    equal ts series=41 query=5 seed=4
}
for way in 'upmem 1 1' 'upmem 3 11' 'upmem 64 16' 'upmem-dappa 3 24'; do
    set -- $way
    export MPU_TARGET=$1 MPU_DPUS=$2 MPU_SET=dpu.run_tasklets=$3
    pipelines
    equal mlp neurons=75
    equal spmv rows=301 columns=70 longest=13
    equal ts series=500 query=33
    for program in hst-l bs scan trns nw bfs; do
        "$bin/mpu-as" --syntax=dpu -D "NR_TASKLETS=$3" -o $program.elf "$source/examples/prim/$program.s"
    done
    equal hst-l hst-l.elf pixels=7001 bins=77
    equal bs bs.elf elements=3001 queries=331 seed=5
    equal bs bs.elf elements=1 queries=3
    for scan in ssa rss; do
        equal scan-$scan scan.elf elements=5001
        equal scan-$scan scan.elf elements=1
    done
    equal trns trns.elf bands=7 rows=3 blocks=5 columns=2
    equal trns trns.elf bands=29 rows=16 blocks=3 columns=8
    equal nw nw.elf rows=77 penalty=3
    equal bfs bfs.elf nodes=1001 edges=3000
    equal bfs bfs.elf nodes=900 edges=400
done
unset MPU_SET
equal mlp neurons=1030 layers=1 seed=1 # a row of more bytes than a transfer has
export MPU_DPUS=3
"$bin/mpu-as" --syntax=dpu -D NR_HISTOS=3 -o histos.elf "$source/examples/prim/hst-l.s"
equal hst-l histos.elf pixels=7001
"$bin/mpu-as" --syntax=dpu -D BL=20 -o blocks.elf "$source/examples/prim/nw.s"
equal nw blocks.elf rows=77

# Files as PrIM's hosts read them.
printf '3 4 5\n1 1\n3 4\n2 2\n3 1\n3 3\n' >matrix.txt
equal spmv file=matrix.txt seed=1
printf '5 5 5\n0 1\n1 2\n2 4\n4 3\n3 1\n' >graph.txt
equal bfs bfs.elf file=graph.txt
printf '\001\002\017\377\377\377\000\000' >image.iml
equal hst-l hst-l.elf file=image.iml pixels=4
for empty in 'hst-l hst-l.elf pixels=0' 'bs bs.elf queries=0' 'scan-ssa scan.elf elements=0' \
    'trns trns.elf blocks=0' 'nw nw.elf rows=0' 'bfs bfs.elf nodes=0' 'spmv rows=0'; do
    equal $empty
done

refused "'neuron=3': arguments are name=number, and names layers, neurons, seed" mlp neuron=3
refused "'layers=x': no number from 0" mlp layers=x
refused 'neurons: 1 to 4096' mlp neurons=0
refused 'columns: 65536 at most' spmv rows=1 columns=65537
refused 'matrix.tx: no matrix' spmv file=matrix.tx
printf '2 2 1\n3 1\n' >matrix.txt
refused 'number 1 has no place in the matrix' spmv file=matrix.txt
refused 'series: more elements than the query has' ts series=9 query=9
refused 'the first argument is the DPUs'"'"' program' bs elements=3
refused 'no such ELF file' bs none.elf
refused 'bins: 1 to 1365 with this program' hst-l histos.elf bins=1366
refused 'fewer pixels' hst-l hst-l.elf file=image.iml pixels=5
refused 'elements: 1 to 4000000' bs bs.elf elements=0
refused 'elements: more than MRAM has room for' scan-ssa scan.elf elements=24000001
refused 'rows * columns: 1 to 128' trns trns.elf rows=16 columns=9
refused 'pieces at most with this program' trns trns.elf bands=2049 columns=8 rows=1 blocks=1
refused 'rows: 16384 at most' nw nw.elf rows=16385
refused 'nodes: 98304 at most with this program' bfs bfs.elf nodes=98305 edges=0
printf '2 2 1\n0 2\n' >graph.txt
refused 'edge 1 is none of the graph' bfs bfs.elf file=graph.txt
MPU_TARGET=racer refused "loading: invalid ELF file" bs bs.elf

for MPU_TARGET in racer mimdram simdram ambit duality-cache pypim; do
    export MPU_TARGET
    pipelines
done
export MPU_TARGET=pluto-bsa
equal mlp neurons=5 seed=3
equal ts series=41 query=5 seed=4
# Rows of slots have no floating point, and it says so.
refused 'has no recipe on target' spmv rows=3 columns=5 longest=3

# row NAME FILE..: the table of docs/prim.md has the program's lines.
row() {
    name=$1
    shift
    set -- $(cd "$source/examples" && sh "$source/tests/pipeline/count.sh" "$@")
    grep -qE "^\| $name \|.*\| $1 \| $2 \|$" "$source/docs/prim.md" ||
        { echo "docs/prim.md: no row '$name', $1 lines of the host and $2 of DPUs"; exit 1; }
}
for name in va sel uni red gemv hst; do row $name dappa/$name.cc; done
for name in mlp spmv ts; do row $name prim/$name.cc; done
for name in hst-l bs trns nw bfs; do row $name prim/$name.cc prim/$name.s; done
for name in scan-ssa scan-rss; do row $name prim/$name.cc prim/scan.h prim/scan.s; done
