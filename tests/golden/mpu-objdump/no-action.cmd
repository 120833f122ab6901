mpu-objdump -l x.o
