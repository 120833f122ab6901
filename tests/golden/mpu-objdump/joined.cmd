mpu-as -g -o small.o small.s
mpu-objdump -dr small.o
