mpu-as -o - scale.s | mpu-ld --target raser -o x.mpu -
