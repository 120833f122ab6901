# A program whose recipes do not fit the table of an MPU at once; and one whose recipes do.
try() {
    echo "\$ $*" >&2
    "$@" 2>&1 | sed "s/take [0-9]* templates/take N templates/" >&2
    echo "exit $?" >&2
}
{
    echo "main:"
    echo "  COMPUTE RFH0 VRF0"
    for width in 3 4 5 6 7 8; do
        echo "  SDIV.$width r1 r2 r3"
        echo "  FLMOD.$width r1 r2 r3"
        echo "  MAC.$width r1 r2 r3"
    done
    echo "  COMPUTE_DONE"
} >many.s
cat >few.s <<'S'
main:
  COMPUTE RFH0 VRF0
  ADD.8 r1 r2 r3
  OR.8 r1 r2 r3
  COMPUTE_DONE
S
mpu-as many.s
mpu-as few.s
try mpu-ld --target racer many.o
try mpu-ld --target racer -Wno-recipe-table many.o
mpu-ld --target racer -Werror=recipe-table -o x.mpu many.o 2>/dev/null
echo "exit $?" >&2
try mpu-ld --target racer -Werror few.o
mpu-objdump --recipes few.mpu | grep "^[A-Z]"
rm many.s few.s many.o few.o many.mpu few.mpu
