# input: reserved-word.ez
ezpim -x ez -o out.mpu "$IN"
