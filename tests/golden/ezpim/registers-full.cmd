# input: registers-full.ez
ezpim -x ez -o out.mpu "$IN"
