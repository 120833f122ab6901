try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try ezpim
try ezpim -c axpy.ez define.s
try ezpim -c --target racer axpy.ez
try ezpim -S --entry main axpy.ez
try ezpim -O7 axpy.ez
try ezpim -x fortran axpy.ez
try ezpim -D K=x axpy.ez
try ezpim -D 5 axpy.ez
try ezpim -D =5 axpy.ez
try ezpim -D a-b=5 axpy.ez
try ezpim --target= axpy.ez
try ezpim --target racer --size n axpy.ez
try ezpim --traget racer axpy.ez
try ezpim -W typo axpy.ez
try ezpim -z axpy.ez
