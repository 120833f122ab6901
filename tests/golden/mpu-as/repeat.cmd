# input: repeat.s
mpu-as -o out.o "$IN"
