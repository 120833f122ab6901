mpu-ld --size n=5 -o x.mpu a.o
