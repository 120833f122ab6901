# input: warn-all.ez
ezpim -x ez -Werror -o out.mpu "$IN"
