# input: import-once.erc
ezpim -x erc --max-errors 0 -o x.mpu --width 8 "$IN"
