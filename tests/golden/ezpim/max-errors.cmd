# input: bad.ez
ezpim -x ez --max-errors 1 -c -o bad.o "$IN"
