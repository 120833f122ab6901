# input: warn-all.ez
ezpim -x ez -o out.mpu "$IN"
