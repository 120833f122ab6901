#!/bin/sh
# SPDX-License-Identifier: MIT
# silicon.sh PRIM TIMES BUILD: PrIM's host programs with DPU programs that UPMEM's compiler made, on
# emulated DPUs; a page of what they say and of their times beside those of silicon.
#
# PRIM is a folder of PrIM's sources whose `bin` folders hold the DPU programs (docs/dpu.md says which);
# TIMES has lines benchmark,dpus,size,kernel,to,from,between,.. with ms of silicon.  Host programs are
# compiled by their own makefiles, for which a `dpu-pkg-config` is put in the path.  Nothing in PRIM
# is changed: it is copied.
set -eu
[ $# -eq 3 ] || {
    echo "usage: silicon.sh PRIM TIMES BUILD" >&2
    exit 2
}
source=$(cd "$(dirname "$0")/.." && pwd)
times=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
build=$(cd "$3" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$1"/. "$work"
cat >"$work/dpu-pkg-config" <<END
#!/bin/sh
echo "-w -D_GNU_SOURCE -I$source/runtime/include -I$source/runtime/include/mpu -L$build/lib -lmpu -Wl,-rpath,$build/lib -lm"
END
chmod +x "$work/dpu-pkg-config"
PATH=$work:$PATH
export PATH
# NW's host reads behind the end of an array; small arrays that lie in one piece of memory let it.
MALLOC_MMAP_THRESHOLD_=33554432
MALLOC_TOP_PAD_=16777216
export MALLOC_MMAP_THRESHOLD_ MALLOC_TOP_PAD_
UPMEM_PROFILE_BASE=stats=$work/stats
export UPMEM_PROFILE_BASE
cd "$work"

# A graph and a matrix, since those that PrIM names are large: index base, nodes, entries.
entries() {
    awk -v base="$1" -v n="$2" -v m="$3" 'BEGIN {
        x = 12345
        print n, n, m
        for (i = 0; i < m; i++) {
            x = (x * 16807) % 2147483647; a = x % n
            x = (x * 16807) % 2147483647; b = x % n
            if (base) print a + 1, b + 1, 1
            else print i < n - 1 ? i : a, i < n - 1 ? (i * 2 + 1) % n : b
        }
    }'
}
entries 0 2048 10240 >graph
entries 1 1024 12000 >matrix

# compile BENCHMARK DPUS: its host program for so many.
compile() {
    host=$(cd "$1" && sed -n 's|^HOST_TARGET := ${BUILDDIR}/||p' Makefile)
    (
        cd "$1"
        rm -f "bin/$host"
        make -s "bin/$host" NR_DPUS="$2" BL="$(case $1 in NW) echo 512 ;; *) echo 10 ;; esac)" \
            2>make.log >&2 || { cat make.log >&2; exit 1; }
        cp "bin/$host" "host.$2"
    )
}
# run BENCHMARK DPUS OPTIONS: what it says goes to `said`, what its DPUs took to `stats`.
run() {
    name=$1 dpus=$2
    shift 2
    rm -f stats
    [ -e "$name/host.$dpus" ] || compile "$name" "$dpus"
    status=0
    (cd "$name" && "./host.$dpus" "$@") >said 2>&1 || status=$?
}
# The options for a row of the table; those of a usual run without a size.
options() {
    case $1 in
    VA | RED | SEL | UNI | SCAN-RSS | SCAN-SSA) echo "-w 0 -e 1 -x 1 -i ${2:-100000}" ;;
    HST-S | HST-L) echo "-w 0 -e 1 -x 1 -i ${2:-131072}" ;;
    GEMV) echo "-w 0 -e 1 -n 64 -m ${2:-1024}" ;;
    MLP) echo "-w 0 -e 1 -n ${2:-256} -m ${2:-256}" ;;
    TRNS) echo "-w 0 -e 1 -x 1 -m 4 -n 8 -p 64 -o ${2:-32}" ;;
    TS) echo "-w 0 -e 1 -m 64 -n ${2:-4096}" ;;
    BS) echo "-w 0 -e 1 -i $((${2:-131072} / 8))" ;;
    NW) echo "-w 0 -e 1 -n 1024" ;;
    BFS) echo "-f $work/graph" ;;
    SpMV) echo "-f $work/matrix" ;;
    esac
}
verdict() {
    if grep -a -q -i -e mismatch -e differ said || [ "$status" -ne 0 ]; then
        echo "WRONG (code $status)"
    elif grep -a -q -i -e "are equal" said; then
        echo "equal"
    else
        echo "no mismatch"
    fi
}
# Sums of the lines of `stats`: launches, kernel with launches, to and from DPUs in ms; instructions.
sums() {
    awk '
    function value(part, key) {
        return match(part, "\"" key "\":[0-9]+") ? substr(part, RSTART + length(key) + 3, RLENGTH - length(key) - 3) : 0
    }
    function way(name, part) {
        part = $0
        sub(".*\"" name "\":", "", part)
        return value(part, "ps")
    }
    {
        n += value($0, "launches")
        kernel += value($0, "launch_ps") + value($0, "kernel_ps")
        instructions += value($0, "instructions")
        to += way("to_one") + way("to_many") + way("to_all")
        from += way("from_one") + way("from_many")
    }
    END { printf "%d %.6f %.6f %.6f %.0f\n", n, kernel / 1e9, to / 1e9, from / 1e9, instructions }' stats
}

# BFS of some copies has its check in a comment.
[ ! -e BFS/host/app.c ] || sed -i 's|^    /\* *$||; s|^    \*/ *$||' BFS/host/app.c

{
    echo "| benchmark | 1 DPU | 4 DPUs | instructions |"
    echo "|---|---|---|---|"
    for name in BFS BS GEMV HST-L HST-S MLP NW RED SCAN-RSS SCAN-SSA SEL SpMV TRNS TS UNI VA; do
        [ -d "$name" ] || continue
        run $name 1 $(options $name)
        one=$(verdict)
        run $name 4 $(options $name)
        echo "| $name | $one | $(verdict) | $([ -e stats ] && sums | cut -d' ' -f5 || echo -) |"
    done
} >results
awk -F, '$2 == 1 || $2 == 4' "$times" | while IFS=, read -r name dpus size kernel to from between rest; do
    [ -d "$name" ] || continue
    # How many elements BS searches stands in its source.
    if [ "$name" = BS ]; then
        sed -i "s/^#define INPUT_SIZE .*/#define INPUT_SIZE $size/" BS/support/common.h
        rm -f BS/host.*
    fi
    run "$name" "$dpus" $(options "$name" "$size")
    echo "$name $dpus $size $(sums) $kernel $to $from $(verdict)"
done >rows
awk '
{
    error = ($5 / $9 - 1) * 100
    size = error < 0 ? -error : error
    sum += size
    count++
    if ($9 >= 10 && size > most) { most = size; which = $1 " " $3 " on " $2 }
    flag = $12 == "WRONG" ? " (its results are wrong)" : ""
    line[count] = sprintf("| %s | %d | %d | %d | %.2f | %.2f | %+.1f %% | %.2f | %.2f | %.2f | %.2f |%s",
        $1, $2, $3, $4, $5, $9, error, $6, $10, $7, $11, flag)
    if ($9 >= 10 && size > 6) outside[++far] = sprintf("%s %d on %d DPUs: %+.1f %%", $1, $3, $2, error)
}
END {
    printf "%d rows, on average %.2f %% from silicon; from 10 ms on the farthest is %s, %.1f %%.\n", count, sum / count, which, most
    print far ? "Outside of 6 % from 10 ms on:" : "None is outside of 6 % from 10 ms on."
    for (i = 1; i <= far; i++) print "- " outside[i]
    print ""
    print "| benchmark | DPUs | size | launches | kernel ms | silicon | error | to DPUs ms | silicon | from DPUs ms | silicon |"
    print "|---|---|---|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= count; i++) print line[i]
}' rows >table
cat "$source/bench/silicon.md"
cat results
echo
echo "## Times"
echo
cat table
