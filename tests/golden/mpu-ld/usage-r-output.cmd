mpu-ld -r a.o
