# input: unknown-type.ez
ezpim -x ez -o out.mpu "$IN"
