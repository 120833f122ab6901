.else
.endif
.elif 1
.if 1
  NOP
.else
.else
.elif 2
.endif
.ifdef
.endif
