# input: warn.s
mpu-as -Wno-all -o x.o "$IN"
