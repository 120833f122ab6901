ezpim -o - axpy.ez | mpu-run --target racer --in a=2 --in x=1,2,3 --in y=4,5,6 --print z -
