# A second text is listed, with the machines that it was made for.
ezpim -Wno-own-text -o own-text.mpu own-text.ez
mpu-objdump -x own-text.mpu | sed -n '/TEXTS/,/^$/p'
