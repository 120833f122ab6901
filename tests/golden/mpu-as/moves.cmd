# input: moves.s
mpu-as -o out.o "$IN"
