# input: operand-kind.s
mpu-as -o out.o "$IN"
