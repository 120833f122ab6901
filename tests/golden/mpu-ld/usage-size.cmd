mpu-ld --target golden --size n=many -o x.mpu a.o
