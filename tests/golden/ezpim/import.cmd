# input: import.erc
ezpim -x erc --width 16 --rfhs 2 -S -o - "$IN"
