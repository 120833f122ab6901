mpu-run --target racer --size n=40 --in a=2 --in x=iota --in y=iota --print x[0:5] --print z --print z[38:40] --print RFH0.VRF0.r0:u8[0:4] axpy.ez
