mpu-ld --taget racer -o x.mpu a.o
