mpu-objdump -d not-there.o
