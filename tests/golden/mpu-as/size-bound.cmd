# input: size-bound.s
mpu-as -o out.o "$IN"
