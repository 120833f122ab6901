# input: read-before-write.ez
ezpim -x ez -o out.mpu "$IN"
