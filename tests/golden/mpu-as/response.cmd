try() {
    echo "\$ mpu-as $*" >&2
    mpu-as "$@"
    echo "exit $?" >&2
}
try @args.rsp
try @open.rsp
try @nul.rsp
try @self.rsp
try @typo.rsp
printf -- '-o "" good.s' >empty.rsp
try @empty.rsp
printf -- '-o x\\ y.o --listing "a \\"b\\".lst" good.s' >good.rsp
try @good.rsp
ls -- *' '* >&2
