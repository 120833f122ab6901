# no pipe: several runs
# A variable with a length has as many elements outside as it says: none, some, all; never more.
mpu-as -o length.o length.s && mpu-ld -o length.mpu length.o
mpu-objdump -x length.mpu | sed -n '/VARIABLES/,/^$/p'
for n in 0 3 4; do
    mpu-run --target racer --in x=5,6,7,8 --in count=$n --print y --print y[0:1] length.mpu
done
mpu-run --target racer --in x=5,6 --in count=1 --out y=y.npy --expect y=6,5 length.mpu
mpu-run --target racer --in x=5,6 --in count=1 --expect y=y.npy --expect y=6,5,7,6 length.mpu
mpu-run --target racer --in x=5,6 --in count=3 --print y length.mpu || echo "exit $?" >&2
mpu-run --target racer --in x=5,6 --in count=2 --print y[2:] length.mpu || echo "exit $?" >&2
