# input: input-assigned.ez
ezpim -x ez -o out.mpu "$IN"
