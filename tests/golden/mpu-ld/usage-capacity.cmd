mpu-ld --print-capacity -o x.mpu a.o
