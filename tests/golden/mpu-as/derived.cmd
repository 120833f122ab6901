# input: derived.s
mpu-as -o out.o "$IN"
