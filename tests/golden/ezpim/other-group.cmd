# input: other-group.ez
ezpim -x ez -o out.mpu "$IN"
