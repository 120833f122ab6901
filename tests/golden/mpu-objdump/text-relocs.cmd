mpu-as -g -o small.o small.s
mpu-objdump -d -r small.o
