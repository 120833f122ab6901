# input: declared-twice.ez
ezpim -x ez -o out.mpu "$IN"
