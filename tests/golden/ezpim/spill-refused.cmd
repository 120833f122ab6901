# input: spill-refused.ez
ezpim -x ez -fspill -o spill.mpu "$IN"
