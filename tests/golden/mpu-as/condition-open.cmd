# input: condition-open.s
mpu-as -o out.o "$IN"
