# input: not-yet.ez
ezpim -x ez -o out.mpu "$IN"
