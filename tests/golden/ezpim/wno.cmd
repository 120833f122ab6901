# input: warn-all.ez
ezpim -x ez -Wno-truncated -Wno-unused -o out.mpu "$IN"
