mpu-objdump --diagnostics=json -d small.s
