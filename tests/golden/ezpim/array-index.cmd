# input: array-index.ez
ezpim -x ez -o out.mpu "$IN"
