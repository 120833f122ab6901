# no pipe: the program is a named file
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
run="mpu-run --target racer --in a=2 --in x=1,2 --in y=3,4 axpy.ez"
try $run --print z --set control=host
try $run --set control=cpu
try $run --set mpus=iso:4cm2 --print z
try $run --set mpus=iso:4
try $run --set mpus=iso:1mm2 --print z
try $run --set mpus=iso:900000um2
try $run --set mpus=iso:400mm2 --set arrays_um2=0
try $run --set cap=power --set limit_mw_per_cm2=0
try $run --set cap=power --print z
hot="mpu-run --target racer --size n=1024 --in a=2 --in x=iota --in y=iota axpy.ez --set limit_mw_per_cm2=5000 --set window_ps=1"
figures() {
    sed 's/takes [0-9]* mW/takes N mW/; s/from [0-9]* ps to [0-9]* ps/from A ps to B ps/' >&2
}
try $hot 2>&1 | figures
try $hot -Wno-power-density
try $hot -Werror=power-density 2>&1 | figures
try mpu-run --target golden --in a=2 --in x=1,2 --in y=3,4 axpy.ez --set control=host
