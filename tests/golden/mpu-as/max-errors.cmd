# input: three.s
mpu-as --max-errors=2 -o x.o "$IN"
