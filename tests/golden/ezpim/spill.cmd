# input: spill.ez
ezpim -x ez -fspill -o spill.mpu "$IN"
