# RECIPE without else where there is no recipe; with one it is a call; golden knows the contract
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as -g -o none.o user-none.s && mpu-as -g -o else.o user-else.s || exit
try mpu-ld --target racer -o none.mpu none.o
try mpu-ld --target golden -o none.mpu none.o
try mpu-ld --target racer,golden -o else.mpu else.o
mpu-objdump -d else.mpu
for t in racer golden; do
    try mpu-run --target $t else.mpu --in x=1,2,3,4 --in y=10,20,30,255 --print z --print u
done
mpu-objdump --reassemble -o again.s else.o && mpu-as -o again.o again.s && cmp else.o again.o
# What a subroutine behind else may be
try mpu-as -o wrong.o user-wrong.s
cat >undefined.s <<'EOF'
        .recipe "user-min3.recipe"
        .global elsewhere
        COMPUTE RFH0 VRF0
        RECIPE MIN3.8 r1 r2 r3 else elsewhere
        COMPUTE_DONE
EOF
mpu-as -o undefined.o undefined.s && try mpu-ld -o undefined.mpu undefined.o
rm -f ./*.o ./*.mpu again.s undefined.s
