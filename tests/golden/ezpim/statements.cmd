# input: statements.ez
ezpim -x ez -o out.mpu "$IN"
