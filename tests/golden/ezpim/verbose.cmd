# The sizes of files are cut out: they change with the format.
say() {
    ezpim -v "$@" 2>&1 | sed "s/[0-9]* bytes/N bytes/" >&2
}
say -c -o axpy.o axpy.ez
say --target racer,golden --size n=8 -o axpy.mpu axpy.o
say --emit=ast -o axpy.txt axpy.ez
say --diagnostics=json -o axpy.mpu axpy.ez
