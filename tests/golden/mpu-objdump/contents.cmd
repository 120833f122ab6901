mpu-as -o - scale.s | mpu-objdump -s -
