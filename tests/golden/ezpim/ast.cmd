# input: axpy.ez
ezpim -x ez --emit=ast "$IN"
