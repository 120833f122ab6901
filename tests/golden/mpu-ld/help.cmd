mpu-ld --help | sed '/^Common options/,$d'
