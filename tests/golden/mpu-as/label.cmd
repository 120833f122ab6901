# input: label.s
mpu-as -o out.o "$IN"
