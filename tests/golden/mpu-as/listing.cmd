# input: good.s
mpu-as -o x.o --listing=- "$IN"
