mpu-ld --help
