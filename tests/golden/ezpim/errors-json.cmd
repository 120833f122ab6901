# input: bad.ez
ezpim -x ez --diagnostics=json -c -o bad.o "$IN"
