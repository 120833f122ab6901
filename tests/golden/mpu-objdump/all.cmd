mpu-as -g -o small.o small.s
mpu-objdump -x small.o
