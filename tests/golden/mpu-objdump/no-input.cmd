mpu-objdump -d
