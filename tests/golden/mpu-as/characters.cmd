# input: characters.s
mpu-as -o out.o "$IN"
