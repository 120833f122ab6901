# input: number-range.s
mpu-as -o out.o "$IN"
