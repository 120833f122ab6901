# input: braces.ez
ezpim -x ez -o out.mpu "$IN"
