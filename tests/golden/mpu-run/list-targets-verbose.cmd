mpu-run --list-targets -v
