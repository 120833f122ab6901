# no pipe: no input is read
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-as --syntax=intel import.rc
try mpu-as --width 8 import.rc
try mpu-as --syntax=rc --width 65 import.rc
try mpu-as --syntax=rc --rfhs 0 import.rc
try mpu-as --syntax=rc --listing=x import.rc
