# input: scatter.s
mpu-as -o out.o "$IN"
