# input: place.ez
ezpim -x ez -o out.mpu "$IN"
