try() {
    echo "\$ mpu-as $*" >&2
    mpu-as "$@"
    echo "exit $?" >&2
}
try
try --otput x.o good.s
try --listin
try --l=x good.s
try -z good.s
try -gz good.s
try -o
try --output
try --debug=3 good.s
try good.s three.s
try -D 5 good.s
try -D N=x good.s
try -Wlane-dependant good.s
try -Wno-error=macros-redefined good.s
try --max-errors=many good.s
try --diagnostics=xml good.s
try --color=maybe good.s
