# input: warn.s
mpu-as -Werror -Wno-error=lane-dependent -Wno-macro-redefined -o x.o "$IN"
