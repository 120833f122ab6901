printf '.global a\n.global b\n.global c\nJUMP a\nJUMP b\nJUMP c\n' >a.s
mpu-as a.s
mpu-ld --max-errors=2 -o x.mpu a.o
