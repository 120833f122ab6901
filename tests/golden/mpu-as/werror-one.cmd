# input: warn.s
mpu-as -Werror=macro-redefined -o x.o "$IN"
