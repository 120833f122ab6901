# input: warn.s
mpu-as -Werror -o x.o "$IN"
