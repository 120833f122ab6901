# input: warnings.s
mpu-as -o out.o "$IN"
