# input: steps.s
mpu-as -o out.o "$IN"
