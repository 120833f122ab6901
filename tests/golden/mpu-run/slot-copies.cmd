# Tables that queries destroy: their master copies take rows, and come over the channel where there
# are none left; what is counted; a table that does not come back is found.  Four ways of loading.
# no pipe: the files are the point
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
table() { # of 2^$1 elements
    awk -v k="$1" 'BEGIN { for (i = 0; i < 2 ^ k; i++) printf "%s%d", i ? ", " : "", (i * 37 + 201) % 65536 }'
}
program() { # NAME K
    cat >"$1.s" <<S
        .group g[64]
        .var in a: u16 @g = r0
        .var out y: u16 @g = r1
        .lut t k=$2 width=16 = $(table "$2")
main:   COMPUTEG @g
        LUT.16 r0 t r1
        LUT.16 r1 t r1
        COMPUTE_DONE
        HALT
S
}
program eight 8
program nine 9
program twelve 12
machine() { # NAME PAIRS ROWS
    cat >"$1.yaml" <<S
schema: 1
name: $1
extends: pluto-gsa
summary: "$2 pairs a bank"
machine: { vrf_per_rfh: $2, source: assumed }
pluto: { rows: $3, source: assumed }
S
}
rows() { # NAME TARGET [OPTION...]: where tables are
    name=$1
    target=$2
    shift 2
    mpu-as "$name.s" -o "$name.mpo" &&
        mpu-ld --target "$target" "$@" "$name.mpo" -o "$name.mpu" &&
        mpu-objdump --target "$target" --recipes "$name.mpu" | grep -E 'rows of a VRF|copies|lut0:|^LUT.16 r0 0 r1:'
}
figures() { # NAME [OPTION...]
    name=$1
    shift
    mpu-run "$name.s" --in a=iota --check --stats json "$@" |
        grep -E '^ +"(established_.*|slots without.*|reloads|sweeps|rows swept|ACT|PRE|RBM|RD|WR)": [0-9]' | tr -s ' \n' ' '
    echo
}
try rows eight pluto-gsa
try rows nine pluto-gsa
try rows twelve pluto-gsa
# two pairs a bank, one of which holds registers: there is one for copies, of 512 rows
machine two 2 512
try rows nine two.yaml
try rows twelve two.yaml
# a data subarray of 100 rows has copies of small tables alone
machine small 1 100
try rows eight small.yaml
try rows eight small.yaml -Wno-table-turns
for name in eight nine twelve; do
    try figures $name --target pluto-gsa
    try figures $name --target pluto-gsa --set machine.vrf_per_rfh=1 -Wno-table-turns
done
try figures eight --target pluto-bsa
for load in generate memory storage resident; do
    try figures eight --target pluto-gmc --set pluto.load=$load
done
try mpu-run eight.s --target pluto-gsa --in a=iota --check --set pluto.reload=none >/dev/null
rm -f eight.* nine.* twelve.* two.yaml small.yaml
