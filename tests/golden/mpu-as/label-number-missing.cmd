# input: label-number-missing.s
mpu-as -o out.o "$IN"
