# input: indexed.s
mpu-as -o out.o "$IN"
