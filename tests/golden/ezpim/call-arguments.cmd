# input: call-arguments.ez
ezpim -x ez -o out.mpu "$IN"
