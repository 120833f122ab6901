# input: condition.s
mpu-as -o out.o "$IN"
