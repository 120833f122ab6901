# input: qrdiv.s
mpu-as -o out.o "$IN"
