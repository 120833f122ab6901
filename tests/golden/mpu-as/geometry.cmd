# input: geometry.s
mpu-as -o out.o "$IN"
