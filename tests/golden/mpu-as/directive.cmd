# input: directive.s
mpu-as -o out.o "$IN"
