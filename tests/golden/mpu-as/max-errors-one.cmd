# input: three.s
mpu-as --max-errors 1 -o x.o "$IN"
