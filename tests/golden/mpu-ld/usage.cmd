try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as call.s
try mpu-ld
try mpu-ld --ouput x.mpu call.o
try mpu-ld --target
try mpu-ld --target= call.o
try mpu-ld --target racer,,golden call.o
try mpu-ld --size n call.o
try mpu-ld --target racer --size n call.o
mpu-as sized.s
try mpu-ld --target racer --size n=0 sized.o
try mpu-ld --target racer --size n=1099511627777 sized.o
try mpu-ld --target racer --size n=many call.o
try mpu-ld --target racer --size =4 call.o
try mpu-ld -r call.o
try mpu-ld -r --target racer -o x.o call.o
try mpu-ld --print-capacity call.o
try mpu-ld --size n=4 call.o
try mpu-ld --pri
try mpu-ld -Mop=x call.o
