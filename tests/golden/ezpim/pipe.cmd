# input: axpy.ez
ezpim -o - "$IN" | head -c 4 | tail -c 3
