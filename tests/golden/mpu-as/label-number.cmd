# input: label-number.s
mpu-as -o out.o "$IN"
