try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
printf 'schema: [1\n' >open.yaml
try ezpim --target raser --size n=4 axpy.ez
try ezpim --target nowhere.yaml --size n=4 axpy.ez
try ezpim --target open.yaml --size n=4 axpy.ez
try ezpim --target golden,raser,nowhere.yaml --size n=4 axpy.ez
try ezpim --target racer axpy.ez
rm open.yaml
