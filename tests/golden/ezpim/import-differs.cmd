# input: import-differs.erc
ezpim -x erc --max-errors 0 -o x.mpu --width 16 "$IN"
