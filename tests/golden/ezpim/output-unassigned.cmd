# input: output-unassigned.ez
ezpim -x ez -o out.mpu "$IN"
