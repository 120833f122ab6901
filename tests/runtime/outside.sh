#!/bin/sh
# SPDX-License-Identifier: MIT
# What the world outside does to a tool: a reader that goes away ends it quietly (exit code 3), at
# once where it would run for ever; a limit on the size of files is an error like a full disk, which
# leaves nothing behind; a line of progress on a terminal is gone before a message.
#   outside.sh BIN FOLDER EXAMPLES
set -u
LC_ALL=C
export LC_ALL
PATH=$1:$PATH
rm -rf "$2"
mkdir -p "$2"
cd "$2" || exit 1
cp "$3/axpy.ez" .
status=0
complain() { echo "$*" && status=1; }

# ended CODE WHAT: the tool's exit code stands in `code`, what it said in `said`.
ended() {
    [ "$(cat code)" = "$1" ] || complain "$2: exit code $(cat code), not $1"
}
quiet() {
    ended 3 "$*"
    [ ! -s said ] || { complain "$*: said" && head -n 5 said; }
}

# into_closed TOOL...: the reader of its standard output has gone before it begins.
mkfifo gone
into_closed() {
    : <gone &
    exec 3>gone
    wait $!
    "$@" >&3 2>said
    echo $? >code
    exec 3>&-
    quiet "$@"
    rm -f code said
}
run="mpu-run --target racer --in a=1 --in x=1,2 --in y=zeros axpy.ez"
mpu-as -o prog.o "$3/collatz.s" || exit 1
into_closed ezpim -S -o - axpy.ez
into_closed ezpim --help
into_closed mpu-as -o - "$3/collatz.s"
into_closed mpu-ld -o - prog.o
into_closed mpu-objdump -d prog.o
into_closed mpu-recipe count --op ADD
into_closed mpu-run --list-targets
into_closed $run --print z
into_closed $run --out z=-
into_closed $run --stats json
into_closed $run --trace -
into_closed $run --stats-every 1

# A program without an end, whose reader has read enough.
printf 'again:  COMPUTE RFH0 VRF0\n        INC.64 r0 r0\n        COMPUTE_DONE\n        GOTO again\n' >forever.s
endless="mpu-run --target racer --max-seconds 60"
: >said
{ $endless --log insn forever.s 2>&1; echo $? >code; } | head -n 3 >lines
quiet --log
{ $endless --uops -:csv forever.s 2>said; echo $? >code; } | head -n 3 >>lines
quiet --uops
# A series comes when the run has ended, which nobody waits for.
{ $endless --stats-every 1000 forever.s 2>said; echo $? >code; } | true
quiet --stats-every
[ "$(wc -l <lines)" = 6 ] || complain "lines that were read: $(cat lines)"

# Limits: 1 is 512 or 1024 bytes, and every output here is larger.
limited() {
    (
        trap '' XFSZ # this shell only; the tool has to see to it itself
        ulimit -f 1
        "$@"
    ) >said 2>&1
    echo $? >code
    ended 3 "$*"
    grep -q 'error: cannot write .*: File too large$' said || { complain "$*" && cat said; }
    [ -z "$(find . -name '.mpu-*' -o -name new)" ] || complain "$*: a file is left"
}
# Without the trap the signal's default is to end the process.
limited_by_default() {
    sh -c 'ulimit -f 1; exec "$@"' - "$@" >said 2>&1
    echo $? >code
    ended 3 "$*"
    [ -z "$(find . -name '.mpu-*' -o -name new)" ] || complain "$*: a file is left"
}
for limit in limited limited_by_default; do
    $limit ezpim -o new axpy.ez
    $limit mpu-as -o /dev/null --listing new "$3/collatz.s"
    $limit mpu-ld -o new prog.o
    $limit mpu-objdump -s -x -o new prog.o
    $limit mpu-recipe count -o new
    $limit $run --stats json:new
    $limit $run --trace new
    $limit $run --uops new:csv
done

# A run that a limit ends after it has shown how far it is.
if command -v script >/dev/null; then
    script -qefc 'mpu-run --target racer --max-seconds 2 forever.s' typescript >/dev/null </dev/null
    tr '\r' '\n' <typescript | awk '
        /ensembles?, / { progress = NR }
        /is reached/ { message = NR; erased = index($0, "\033[K") == 1 || index(before, "\033[K") == 1 && before !~ /cycles/ }
        { before = $0 }
        END { exit !(progress && message > progress && erased) }' ||
        { complain "the line of progress is not erased:" && od -c typescript | head -n 40; }
fi
exit $status
