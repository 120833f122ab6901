mpu-as -o - scale.s | mpu-ld --entry scael -o x.mpu -
