# A failure leaves what was there before.
mpu-as call.s && mpu-as lib.s
mpu-ld -o x.mpu call.o lib.o
cp x.mpu y.mpu
mpu-ld -o x.mpu call.o 2>/dev/null
cmp x.mpu y.mpu && echo "as before"
