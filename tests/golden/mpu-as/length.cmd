# input: length.s
mpu-as -o x.o "$IN"
