# input: instruction.ez
ezpim -x ez -o out.mpu "$IN"
