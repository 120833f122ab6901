# input: outside-compute.ez
ezpim -x ez -o out.mpu "$IN"
