# input: reserved-name.ez
ezpim -x ez -o out.mpu "$IN"
