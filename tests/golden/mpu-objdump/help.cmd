mpu-objdump --help
