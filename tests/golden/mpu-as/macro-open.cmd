# input: macro-open.s
mpu-as -o out.o "$IN"
