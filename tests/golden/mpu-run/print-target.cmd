mpu-run --print-target golden
