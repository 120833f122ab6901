#!/bin/sh
# SPDX-License-Identifier: MIT
# What ./dev demo shows: two programs, each with its source, the instructions that it became, and
# its result; then, on a screen of 80 x 24, one program on every machine that is built in.  Every
# result is compared with a reference that an independent C program made (examples/gen).
#   demo.sh [OUT]     OUT: folder for what is made, else one for temporary files
# It runs from any folder, wherever examples/ lies, in the sources or installed; the tools are those
# on PATH, else those of the same installation.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
installed=$here/../../../../bin
command -v mpu-run >/dev/null || PATH=$PATH:$installed
command -v mpu-run >/dev/null || { echo "demo.sh: mpu-run is not on PATH" >&2 && exit 3; }
out=${1:-$(mktemp -d "${TMPDIR:-/tmp}/mpu-demo.XXXXXX")}
mkdir -p "$out"
cd "$out"
# What is shown does not depend on where the files lie.
ln -sfn "$here" examples
data=examples/data

# What is shown as a command, on lines of at most 80 columns, is what is run.
run() {
    echo
    printf '$ %s\n' "$*" | fold -s -w 76 | sed '$!s/$/\\/; 1!s/^/    /'
    "$@"
}

# source_of FILE: without the comment at its top, comments close behind what they are about.
source_of() { sed '1,/^[^\/]/{/^\//d;}; s/   *\/\//  \/\//; s/^\(.\)/    \1/' "$1"; }

# instructions FILE COUNT: of main, the first ones, without words and labels.
instructions() {
    mpu-objdump -d --no-show-raw-insn "$1" | sed -n 's/^ *\([0-9]*: .*\)$/      \1/p' >listing
    head -n "$2" listing
    left=$(($(wc -l <listing) - $2))
    [ $left -le 0 ] || echo "         ... and $left more"
}

# narrow NAME ...: these columns of mpu-run's table (standard input), and that each run was checked.
# Between two columns there are two blanks at least, in none of them.
narrow() {
    awk -F '  +' -v names="$*" '
        NR == 1 {
            split(names, wanted, " ")
            for (i = 1; i <= NF; i++)
                place[tolower($i)] = i
        }
        {
            printf "  %-14s", $2
            for (i = 1; i in wanted; i++)
                printf " %10s", $place[wanted[i]]
            end = $place["end"]
            printf "   %s\n", NR == 1 ? "checked" : end == "done" ? "yes" : end
        }'
}

echo
echo "== 1. A vector: z = a*x + y over 1000 elements of 32 bits (examples/axpy.ez)"
echo
source_of examples/axpy.ez
run ezpim examples/axpy.ez -o axpy.mpu
instructions axpy.mpu 5
run mpu-run --target racer axpy.mpu --in a=$data/axpy-a.npy --in x=$data/axpy-x.npy \
    --in y=$data/axpy-y.npy --expect z=$data/axpy-z.npy --print "z[0:6]"

echo
echo "== 2. Each lane goes its own way: Collatz's sequence (examples/collatz.ez)"
echo
source_of examples/collatz.ez
run ezpim examples/collatz.ez -o collatz.mpu
instructions collatz.mpu 9
run mpu-run --target mimdram collatz.mpu --in x=$data/collatz-x.npy \
    --expect steps=$data/collatz-steps.npy --print "steps[0:16]"

# The last screen.  Golden is what the machines are checked against, and costs nothing; of racer one
# of its families of gates stands for all, of UPMEM one of its two clocks, of SIMT cores those near
# the banks.
machines=$(mpu-run --list-targets | awk '$1 != "golden" && $1 !~ /^racer-|^upmem-|^simt-/ { printf "%s%s", comma, $1; comma = "," }')
ezpim examples/brightness.ez -o brightness.mpu
mpu-run --check --target "$machines" brightness.mpu --stats text:machines.txt --iso-area none \
    --in pixel=$data/landscape.pgm --in gain=$data/brightness-gain.npy \
    --in level=$data/brightness-level.npy --out bright=bright.pgm \
    --expect bright=$data/brightness-bright.pgm --expect bold=$data/brightness-bold.pgm >checked.txt
{
    echo
    echo "== 3. One program, every machine: 640x480 pixels (examples/brightness.ez)"
    echo
    echo "\$ ezpim brightness.ez"
    echo "\$ mpu-run --check --target racer,mimdram,... brightness.mpu --in pixel=..."
    echo
    narrow time energy lanes mpus <machines.txt
    echo
    echo "Each ran the same brightness.mpu in its own micro-ops. Checked: every bit is"
    echo "what the instructions mean; the pictures are those of an independent C program."
    echo
    echo "Your own kernel, your own machine: README.md, docs/ezpim.md, docs/technology.md."
} >screen.txt
cat screen.txt
