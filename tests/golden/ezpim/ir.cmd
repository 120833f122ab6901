# input: axpy.ez
ezpim -x ez --emit ir -O2 "$IN"
