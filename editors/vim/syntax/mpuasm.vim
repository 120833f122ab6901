" Generated from isa-spec/ by isa-gen; edit the tables.
if exists("b:current_syntax")
  finish
endif
syn match mpuasmType "\<\%(bool\|[iu]\d\+\|b\=f\d\+\)\>"
syn match mpuasmRegister "\c\<r\d\+\>"
syn match mpuasmPlace "\c\<\%(RFH\|VRF\|MPU\)\d\+"
syn match mpuasmNumber "\<\%(\d[0-9_]*\.\d[0-9_]*\%([eE][-+]\=\d\+\)\=\|\d\+[eE][-+]\d\+\|\d[0-9A-Za-z_]*\)\>"
syn keyword mpuasmKeyword cond else wrap clip keep in out inout consumed as
syn keyword mpuasmKeyword first split shape local like at dup identity shift rotate
syn keyword mpuasmKeyword gather bytes entry scatter reverse broadcast clobber min max
syn match mpuasmDirective "\.assert\>"
syn match mpuasmDirective "\.buffer\>"
syn match mpuasmDirective "\.constant\>"
syn match mpuasmDirective "\.data\>"
syn match mpuasmDirective "\.debug_lines\>"
syn match mpuasmDirective "\.endfinish\>"
syn match mpuasmDirective "\.endkernel\>"
syn match mpuasmDirective "\.endm\>"
syn match mpuasmDirective "\.endmodule\>"
syn match mpuasmDirective "\.endr\>"
syn match mpuasmDirective "\.endsub\>"
syn match mpuasmDirective "\.equ\>"
syn match mpuasmDirective "\.error\>"
syn match mpuasmDirective "\.file\>"
syn match mpuasmDirective "\.finish\>"
syn match mpuasmDirective "\.geometry\>"
syn match mpuasmDirective "\.global\>"
syn match mpuasmDirective "\.group\>"
syn match mpuasmDirective "\.include\>"
syn match mpuasmDirective "\.kernel\>"
syn match mpuasmDirective "\.launch\>"
syn match mpuasmDirective "\.length\>"
syn match mpuasmDirective "\.loc\>"
syn match mpuasmDirective "\.lut\>"
syn match mpuasmDirective "\.macro\>"
syn match mpuasmDirective "\.mark\>"
syn match mpuasmDirective "\.module\>"
syn match mpuasmDirective "\.move\>"
syn match mpuasmDirective "\.mpu\>"
syn match mpuasmDirective "\.print\>"
syn match mpuasmDirective "\.product\>"
syn match mpuasmDirective "\.recipe\>"
syn match mpuasmDirective "\.rept\>"
syn match mpuasmDirective "\.set\>"
syn match mpuasmDirective "\.show\>"
syn match mpuasmDirective "\.signature\>"
syn match mpuasmDirective "\.size\>"
syn match mpuasmDirective "\.source\>"
syn match mpuasmDirective "\.sub\>"
syn match mpuasmDirective "\.value\>"
syn match mpuasmDirective "\.var\>"
syn match mpuasmDirective "\.width\>"
syn match mpuasmDirective "\.if\>"
syn match mpuasmDirective "\.ifdef\>"
syn match mpuasmDirective "\.ifndef\>"
syn match mpuasmDirective "\.elif\>"
syn match mpuasmDirective "\.else\>"
syn match mpuasmDirective "\.endif\>"

syn case ignore
syn keyword mpuasmMnemonic ABS ADD ADDI AND ANDI ANDMASK ANDNMASK ASSERT BFABS BFADD
syn keyword mpuasmMnemonic BFCMPEQ BFCMPLE BFCMPLT BFCMPUN BFDIV BFLIP BFMAX BFMIN BFMUL BFNEG
syn keyword mpuasmMnemonic BFSIGN BFSQRT BFSUB BFZERO CAS CASS CMPEQ CMPEQI CMPGE CMPGES
syn keyword mpuasmMnemonic CMPGT CMPGTI CMPGTS CMPLE CMPLES CMPLT CMPLTI CMPLTS CMPNE COMPUTE
syn keyword mpuasmMnemonic COMPUTEG COMPUTE_DONE CVT DEC FABS FADD FCMPEQ FCMPLE FCMPLT FCMPUN
syn keyword mpuasmMnemonic FDIV FLDIV FLMOD FMAX FMIN FMUL FNEG FSIGN FSQRT FSUB
syn keyword mpuasmMnemonic FUZZY FZERO GETC GETMASK GMOVE GOTO HALT INC INDEX INIT0
syn keyword mpuasmMnemonic INIT1 INV JUMP JUMP_ANY JUMP_COND JUMP_NONE LANE LI LIK1 LIK2
syn keyword mpuasmMnemonic LIK3 LIK4 LIK5 LSHIFT LUT MAC MARK MAX MAXS MEMCPY
syn keyword mpuasmMnemonic MIN MINS MOV MOVE MOVE_DONE MPU_SYNC MUL MULI MULP MUX
syn keyword mpuasmMnemonic NAND NEG NOP NOR OR POPC PRINT QDIV QRDIV RDIV
syn keyword mpuasmMnemonic RECIPE RECV RELU REPEAT REPEAT_END RETURN SAR SARI SDIV SEL
syn keyword mpuasmMnemonic SEND SEND_DONE SETC SETMASK SEXT SHL SHLI SHR SHRI SREM
syn keyword mpuasmMnemonic SUB UNMASK XNOR XOR ZEXT
syn case match
syn match mpuasmComment "//.*$" contains=@Spell
syn match mpuasmComment ";.*$" contains=@Spell
syn region mpuasmComment start="/\*" end="\*/" contains=@Spell
syn region mpuasmString start=+"+ skip=+\\.+ end=+"+ oneline
hi def link mpuasmComment Comment
hi def link mpuasmString String
hi def link mpuasmKeyword Statement
hi def link mpuasmDirective PreProc
hi def link mpuasmMnemonic Operator
hi def link mpuasmType Type
hi def link mpuasmRegister Identifier
hi def link mpuasmPlace Special
hi def link mpuasmNumber Number
let b:current_syntax = "mpuasm"
