try() {
    echo "$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as -o index.o index.s && mpu-ld -o index.mpu index.o && mpu-objdump -d index.mpu
mpu-objdump --reassemble index.mpu >back.s && mpu-as -o back.o back.s && mpu-ld -o back.mpu back.o && mpu-objdump --reassemble back.mpu | cmp - back.s
for target in golden racer; do
    mpu-run --target $target index.mpu --size h=5,w=3 --print y --print x --print z
done
try mpu-run --target golden index.mpu --size h=2,w=3
printf '        .group g[4]\n        COMPUTEG @g\n        INDEX.8 r1 every 0\n        INDEX.8 r1 every 2 below\n        INDEX.8 r1 every 2 3\n        INDEX.8 r1 below 3\n        INDEX.8 every 3\n        COMPUTE_DONE\n' >bad.s
try mpu-as -o bad.o bad.s
