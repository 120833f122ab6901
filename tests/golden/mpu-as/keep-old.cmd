# A failure leaves what was there before.
mpu-as -o x.o good.s
cp x.o y.o
mpu-as -o x.o three.s 2>/dev/null
cmp x.o y.o && echo "as before"
