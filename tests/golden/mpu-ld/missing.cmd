mpu-ld -o x.mpu not-there.o
