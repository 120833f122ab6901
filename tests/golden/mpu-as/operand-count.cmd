# input: operand-count.s
mpu-as -o out.o "$IN"
