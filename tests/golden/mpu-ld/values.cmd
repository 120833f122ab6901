try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >a.s <<'S'
.group g[4]
.value k: u8[3] = 1, 2, 200
.value s: i32
.var out y: u32 @g r1
COMPUTEG @g
LI.32 value(k[2]) r1
LI.32 value(s) r2
LIK1.32 value(s) r2
LIK2.32 value(s) r2
COMPUTE_DONE
HALT
S
cat >b.s <<'S'
.value k: u8[3] = 1, 2, 200
.value t: u16[2, 2] = 4095, 4096, 0, 65535
COMPUTE RFH0 VRF0
LI.32 value(t[0, 0]) r1
LIK1.16 value(t[1, 0]) r1
LI.12 value(k[0]) r1
COMPUTE_DONE
HALT
S
printf '.value k: u8[3] = 1, 2, 3\n.value s: u32\n' >differs.s
printf '.var s: u32 = r1\n' >variable.s
sed 's/s: i32/s: i32 = -70000/' a.s >fine.s
for f in a b differs variable fine; do mpu-as $f.s; done
try mpu-ld -o x.mpu a.o differs.o
try mpu-ld -o x.mpu a.o variable.o
try mpu-ld --target racer -o x.mpu a.o
try mpu-ld --target racer -o x.mpu b.o
try mpu-ld -Map=x.map -o x.mpu a.o b.o
grep '^value' x.map >&2
mpu-ld -r -o ab.o a.o b.o && mpu-ld -o y.mpu ab.o && cmp x.mpu y.mpu
mpu-ld -r -o aa.o a.o && cmp a.o aa.o
try mpu-ld --target racer -o x.mpu fine.o
mpu-objdump --target racer x.mpu | sed -n '/values/,/place/p' >&2
mpu-objdump -r a.o | grep VALUE >&2
