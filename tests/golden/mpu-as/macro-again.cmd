# input: macro-again.s
mpu-as -o out.o "$IN"
