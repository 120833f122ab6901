# input: extern-wrong.ez
ezpim -x ez -o x.mpu "$IN"
