# input: constant-range.ez
ezpim -x ez -o out.mpu "$IN"
