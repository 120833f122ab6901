# input: utf8.s
mpu-as -o out.o "$IN"
