mpu-run --target racer print.s
