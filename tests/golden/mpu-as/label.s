main: NOP
  JUMP mian
  JUMP_COND nowhere
main: NOP
loop:
.in:  GOTO .inn
next: GOTO .in
  JUMP main - 1
.global outside
  JUMP outside
