# input: unknown-name.ez
ezpim -x ez -o out.mpu "$IN"
