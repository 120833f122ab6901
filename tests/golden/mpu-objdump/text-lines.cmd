mpu-as -g -o small.o small.s
mpu-objdump -d -l small.o
