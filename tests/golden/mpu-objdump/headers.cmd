mpu-as -g -o small.o small.s
mpu-objdump -h small.o
