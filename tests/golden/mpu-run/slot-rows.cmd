# Rows of slots: what does not fit, how many rows are wanted and there, who asks, and where; tables
# that a bank does not hold, and those that match logic of one width cannot look up
# no pipe: the files are the point
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >rows.s <<'S'
        .group g[4]
        .var in a: u8 @g = r0
        .var out y: u8 @g = r1
main:   COMPUTEG @g
        MUL.8 r0 r0 r2
        QDIV.8 r2 r0 r3
        ADD.8 r3 r0 r1
        LI.8 5 r4
        LI.8 6 r5
        COMPUTE_DONE
        HALT
S
cat >table.s <<'S'
        .group g[4]
        .var in a: u16 @g = r0
        .var out y: u16 @g = r1
        .lut t k=16 width=16 = 1, 2, 300
main:   COMPUTEG @g
        MOV.16 r0 r2
        LUT.16 r2 t r1
        COMPUTE_DONE
        HALT
S
cat >narrow.s <<'S'
        .group g[4]
        .var in a: u8 @g = r0
        .var out y: u8 @g = r1
        .lut t k=4 width=16 = 1, 2, 300
main:   COMPUTEG @g
        LUT.16 r0 t r1
        COMPUTE_DONE
        HALT
S
run() {
    mpu-run --target pluto-bsa --in a=1,2,3,0 --print y "$@"
}
try run rows.s --set pluto.rows=20
try run rows.s --set pluto.rows=40
try run rows.s --set pluto.rows=41
try run table.s
try run table.s --set pluto.match_bits=4
try run table.s --set pluto.match_bits=64
# the slot is as wide as the elements of its widest table, whatever the variables are
try run narrow.s
mpu-as narrow.s -o narrow.mpo && mpu-ld --target pluto-bsa narrow.mpo -o narrow.mpu
mpu-objdump --target pluto-bsa --recipes narrow.mpu | grep 'lut0'
rm rows.s table.s narrow.*
