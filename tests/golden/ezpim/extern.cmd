# no pipe: the objects are named files
build() { # FLAGS: extern.ez and absdiff.s to extern.mpu
    ezpim -c "$@" -o extern.o extern.ez
    mpu-as -o absdiff.o absdiff.s
    mpu-ld -o extern.mpu extern.o absdiff.o
}
run() {
    mpu-run "$@" --in x=0,1,2,300,1000000,70,8 --in y=5,9,2,1,64,70,100000 \
        --print far --print steps --print widest
}
build
mpu-objdump -x extern.o | sed -n '/^SIGNATURES/,/^$/p'
run --target golden extern.mpu
run --target racer extern.mpu | md5sum
run --target racer --set machine.mpus=1 --init random:3 extern.mpu | md5sum
mpu-ld -o extern.mpu absdiff.o extern.o
run --target golden extern.mpu | md5sum
mpu-ld -r -o both.o extern.o absdiff.o
mpu-objdump -x both.o | sed -n '/^SIGNATURES/,/^$/p'
mpu-ld -o extern.mpu both.o
run --target racer extern.mpu | md5sum
# Registers that the compiler would take first, for its variables and for what it keeps.
for source in extern.ez absdiff.s; do
    sed 's/r40/r0/g; s/r41/r6/g; s/r42/r1/g; s/r43/r7/g' $source >low.$source
    mv low.$source $source
done
for level in -O0 -O1 -O2; do
    build $level
    run --target golden extern.mpu | md5sum
    run --target racer --init random:5 extern.mpu | md5sum
done
