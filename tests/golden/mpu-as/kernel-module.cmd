# input: kernel-module.s
mpu-as -o out.o "$IN"
