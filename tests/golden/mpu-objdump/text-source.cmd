mpu-as -g -o small.o small.s
mpu-objdump -S small.o
