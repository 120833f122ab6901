# What is consumed stands at its declaration, and comes back from the text.
mpu-as consumed.s
mpu-objdump -x consumed.o | sed -n '/VARIABLES/,/^$/p'
mpu-objdump --reassemble consumed.o >again.s
mpu-as again.s
cmp consumed.o again.o && grep '\.var' again.s
