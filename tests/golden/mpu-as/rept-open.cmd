# input: rept-open.s
mpu-as -o out.o "$IN"
