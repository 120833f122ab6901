# input: real-wrong.s
mpu-as -o out.o "$IN"
