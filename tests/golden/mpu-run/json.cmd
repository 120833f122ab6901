mpu-run --diagnostics=json --target racer --size n=2 --in x=1,2,3 axpy.ez
