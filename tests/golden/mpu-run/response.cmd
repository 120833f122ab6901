printf -- '--target racer\n--in "a=2" --in x=1,2,3\n--in y=4,5,6 --print z' >args.rsp
mpu-run @args.rsp axpy.ez
