# input: register-range.s
mpu-as -o out.o "$IN"
