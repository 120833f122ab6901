# input: warn.ez
ezpim -x ez -c -o warn.o "$IN"
