mpu-as -g -o small.o small.s
mpu-objdump -t small.o
