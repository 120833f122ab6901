# input: constant.s
mpu-as -o x.o "$IN"
