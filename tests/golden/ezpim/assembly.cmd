# input: axpy.ez
ezpim -x ez -S -o - "$IN"
