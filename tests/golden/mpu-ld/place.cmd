# Where groups lie: packed, spread, or what takes less time.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >small.yaml <<'S'
name: small
extends: racer
machine: {mpus: 5}
S
cat >a.s <<'S'
        .group g[4000]
        .var inout x: u8 @g r0
        .move up u8 @g r1[i] = @g r0[i + 1] wrap
main:   COMPUTEG @g
        INV.8 r0 r1
        COMPUTE_DONE
        HALT
S
sed 's/HALT/REPEAT 50\n        GMOVE up\n        REPEAT_END\n        HALT/' a.s >moves.s
sed '/COMPUTE_DONE/i\        SETMASK r1\n        JUMP_COND main2' a.s | sed 's/^        INV/main2:  INV/' >asks.s
show() { sed -n '/^package/,/^  move\|^  registers/p' | grep -v registers; }
for f in a moves asks; do
    mpu-as -g $f.s
    for p in auto packed spread; do
        echo "== $f $p"
        mpu-ld --target small.yaml --place $p -Map=- -o x.mpu $f.o | show
    done
done
try mpu-ld --target small.yaml --place everywhere -o x.mpu a.o
try mpu-ld --place spread -o x.mpu a.o
rm -f small.yaml *.s *.o *.mpu
