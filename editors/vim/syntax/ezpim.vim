" Generated from isa-spec/ by isa-gen; edit the tables.
if exists("b:current_syntax")
  finish
endif
syn match ezpimType "\<\%(bool\|[iu]\d\+\|b\=f\d\+\)\>"
syn match ezpimPlace "\c\<\%(RFH\|VRF\|MPU\)\d\+"
syn match ezpimNumber "\<\%(\d[0-9_]*\.\d[0-9_]*\%([eE][-+]\=\d\+\)\=\|\d\+[eE][-+]\d\+\|\d[0-9A-Za-z_]*\)\>"
syn keyword ezpimKeyword size const host group mpus in out inout var main
syn keyword ezpimKeyword sub compute let like at on if else while do
syn keyword ezpimKeyword for unroll repeat move wrap break continue return extern clobbers
syn keyword ezpimKeyword include recipe assert print mark sync asm compact where send
syn keyword ezpimKeyword recv barrier broadcast scatter gather allgather reduce allreduce alltoall transpose
syn keyword ezpimKeyword consumed clip as inf nan buffer kernel module pipeline launch
syn keyword ezpimKeyword units from entry bytes
syn keyword ezpimConstant true false
syn keyword ezpimFunction min max select floordiv floormod sum any all count argmin
syn keyword ezpimFunction argmax scan prod product sort length index sqrt floor ceil
syn keyword ezpimFunction trunc rint isnan isinf isfinite signbit mov init0 init1 add
syn keyword ezpimFunction sub inc dec neg abs mul mac qdiv rdiv sdiv
syn keyword ezpimFunction srem fldiv flmod relu cmpeq cmpne cmpgt cmplt cmpge cmple
syn keyword ezpimFunction cmpgts cmplts cmpges cmples fuzzy maxs mins mux sel and
syn keyword ezpimFunction nand nor or xor xnor inv bflip popc lshift shl
syn keyword ezpimFunction shr sar fadd fsub fmul fdiv fsqrt fcmpeq fcmplt fcmple
syn keyword ezpimFunction fcmpun fneg fabs fmin fmax fsign fzero bfadd bfsub bfmul
syn keyword ezpimFunction bfdiv bfsqrt bfcmpeq bfcmplt bfcmple bfcmpun bfneg bfabs bfmin bfmax
syn keyword ezpimFunction bfsign bfzero
syn keyword ezpimMnemonic ABS ADD ADDI AND ANDI ANDMASK ANDNMASK ASSERT BFABS BFADD
syn keyword ezpimMnemonic BFCMPEQ BFCMPLE BFCMPLT BFCMPUN BFDIV BFLIP BFMAX BFMIN BFMUL BFNEG
syn keyword ezpimMnemonic BFSIGN BFSQRT BFSUB BFZERO CAS CASS CMPEQ CMPEQI CMPGE CMPGES
syn keyword ezpimMnemonic CMPGT CMPGTI CMPGTS CMPLE CMPLES CMPLT CMPLTI CMPLTS CMPNE COMPUTE
syn keyword ezpimMnemonic COMPUTEG COMPUTE_DONE CVT DEC FABS FADD FCMPEQ FCMPLE FCMPLT FCMPUN
syn keyword ezpimMnemonic FDIV FLDIV FLMOD FMAX FMIN FMUL FNEG FSIGN FSQRT FSUB
syn keyword ezpimMnemonic FUZZY FZERO GETC GETMASK GMOVE GOTO HALT INC INDEX INIT0
syn keyword ezpimMnemonic INIT1 INV JUMP JUMP_ANY JUMP_COND JUMP_NONE LANE LI LIK1 LIK2
syn keyword ezpimMnemonic LIK3 LIK4 LIK5 LSHIFT LUT MAC MARK MAX MAXS MEMCPY
syn keyword ezpimMnemonic MIN MINS MOV MOVE MOVE_DONE MPU_SYNC MUL MULI MULP MUX
syn keyword ezpimMnemonic NAND NEG NOP NOR OR POPC PRINT QDIV QRDIV RDIV
syn keyword ezpimMnemonic RECIPE RECV RELU REPEAT REPEAT_END RETURN SAR SARI SDIV SEL
syn keyword ezpimMnemonic SEND SEND_DONE SETC SETMASK SEXT SHL SHLI SHR SHRI SREM
syn keyword ezpimMnemonic SUB UNMASK XNOR XOR ZEXT
syn match ezpimComment "//.*$" contains=@Spell
syn region ezpimComment start="/\*" end="\*/" contains=@Spell
syn region ezpimString start=+"+ skip=+\\.+ end=+"+ oneline
hi def link ezpimComment Comment
hi def link ezpimString String
hi def link ezpimKeyword Statement
hi def link ezpimConstant Boolean
hi def link ezpimFunction Function
hi def link ezpimMnemonic Operator
hi def link ezpimType Type
hi def link ezpimPlace Special
hi def link ezpimNumber Number
let b:current_syntax = "ezpim"
