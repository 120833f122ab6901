# input: types-mixed.ez
ezpim -x ez -o out.mpu "$IN"
