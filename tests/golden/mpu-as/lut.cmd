# input: lut.s
mpu-as -o out.o "$IN"
