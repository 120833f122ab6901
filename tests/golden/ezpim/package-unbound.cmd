# input: axpy.ez
ezpim -x ez --target racer -o p.mpu "$IN"
