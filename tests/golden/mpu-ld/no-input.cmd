mpu-ld -o x.mpu
