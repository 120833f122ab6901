# input: expression.s
mpu-as -o out.o "$IN"
