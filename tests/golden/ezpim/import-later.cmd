# input: import-later.erc
ezpim -x erc --max-errors 0 -o x.mpu "$IN"
