mpu-objdump --help | sed '/^Common options/,$d'
