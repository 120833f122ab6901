mpu-as --help
