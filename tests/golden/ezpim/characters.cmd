# input: characters.ez
ezpim -x ez -o out.mpu "$IN"
