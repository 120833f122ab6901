# input: bad.ez
ezpim -x ez -o bad.mpu "$IN"
