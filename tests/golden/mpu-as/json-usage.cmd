mpu-as --diagnostics=json --outptu x
