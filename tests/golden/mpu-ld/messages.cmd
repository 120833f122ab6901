mpu-as -g -o - messages.s | mpu-ld --target golden -o x.mpu -
