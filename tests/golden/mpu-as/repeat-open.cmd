# input: repeat-open.s
mpu-as -o out.o "$IN"
