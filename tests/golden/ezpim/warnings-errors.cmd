# input: warn.ez
ezpim -x ez -Werror=truncated -Wno-unused -c -o warn.o "$IN"
