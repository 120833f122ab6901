try() {
    echo "\$ mpu-as $*" >&2
    mpu-as "$@"
    echo "exit $?" >&2
}
try no-such-file.s
try .
try -o no/such/folder/x.o good.s
try -o x.o --listing=no/such/folder/x.lst good.s
try @no-such-file.rsp
