# input: no-main.ez
ezpim -x ez -o out.mpu "$IN"
