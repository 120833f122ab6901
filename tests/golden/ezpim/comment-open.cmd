# input: comment-open.ez
ezpim -x ez -o out.mpu "$IN"
