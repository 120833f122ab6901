# input: text.s
mpu-as -o out.o "$IN"
