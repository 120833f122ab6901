mpu-as -g -o small.o small.s
mpu-objdump -r small.o
