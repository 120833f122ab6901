# input: macro.s
mpu-as -o out.o "$IN"
