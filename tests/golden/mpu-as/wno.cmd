# input: warn.s
mpu-as -Wno-lane-dependent -Wno-macro-redefined -o x.o "$IN"
