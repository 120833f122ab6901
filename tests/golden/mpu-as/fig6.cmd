# input: fig6.s
mpu-as --listing=- -o out.o "$IN"
