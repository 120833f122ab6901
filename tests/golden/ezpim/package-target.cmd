# input: axpy.ez
ezpim -x ez --target racr --size n=5 -o p.mpu "$IN"
