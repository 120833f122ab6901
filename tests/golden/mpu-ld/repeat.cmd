mpu-as -g -o - repeat.s | mpu-ld -o x.mpu -
