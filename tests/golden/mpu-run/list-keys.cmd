mpu-run --list-keys racer | sed 's/  *(.*//'
