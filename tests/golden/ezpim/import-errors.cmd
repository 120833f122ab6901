# input: import-errors.erc
ezpim -x erc --max-errors 0 -o x.mpu "$IN"
