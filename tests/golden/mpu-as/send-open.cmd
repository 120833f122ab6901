# input: send-open.s
mpu-as -o out.o "$IN"
