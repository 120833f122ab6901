ezpim --emit=signature parts.ez | tee parts.inc.ez
mpu-as -o caller.o parts-caller.s || exit
for level in 0 1 2; do
    ezpim -O $level -c -o parts.o parts.ez && ezpim -O $level -c -o user.o parts-user.ez && mpu-ld -o user.mpu user.o parts.o || exit
    mpu-ld -o caller.mpu caller.o parts.o || exit
    for target in golden racer; do
        mpu-run --target $target user.mpu --in x=12,7,9,100 --in y=18,21,3,75 --print d --print s --print a --print b --print r --print l
        mpu-run --target $target caller.mpu --in x=12,7,9,100 --in y=18,21,3,75 --print d
    done
done
