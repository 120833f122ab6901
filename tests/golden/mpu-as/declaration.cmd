# input: declaration.s
mpu-as -o out.o "$IN"
