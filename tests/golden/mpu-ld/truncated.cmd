mpu-as -o - main.s | head -c 300 | mpu-ld -o x.mpu -
