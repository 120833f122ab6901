mpu-run --list-targets
