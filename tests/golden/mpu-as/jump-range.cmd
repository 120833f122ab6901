# input: jump-range.s
mpu-as -o out.o "$IN"
