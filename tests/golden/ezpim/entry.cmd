# input: axpy.ez
ezpim -x ez --entry mian -o p.mpu "$IN"
