mpu-run --help | sed '/^Common options/,$d'
