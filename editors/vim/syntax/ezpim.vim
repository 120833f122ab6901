" Generated from isa-spec/ by isa-gen; edit the tables.
if exists("b:current_syntax")
  finish
endif
syn match ezpimType "\<\%(bool\|[iu]\d\+\|b\=f\d\+\)\>"
syn match ezpimPlace "\c\<\%(RFH\|VRF\|MPU\)\d\+"
syn match ezpimNumber "\<\d[0-9A-Za-z_]*\>"
syn keyword ezpimKeyword size const host group mpus in out inout var main
syn keyword ezpimKeyword sub compute let like at on if else while for
syn keyword ezpimKeyword unroll repeat move wrap break continue return extern clobbers include
syn keyword ezpimKeyword recipe assert print mark sync asm compact where send recv
syn keyword ezpimKeyword barrier broadcast scatter gather allgather reduce allreduce alltoall transpose consumed
syn keyword ezpimKeyword clip as
syn keyword ezpimConstant true false
syn keyword ezpimFunction min max select floordiv floormod sum any all count argmin
syn keyword ezpimFunction argmax scan prod product sort length index mov init0 init1
syn keyword ezpimFunction add sub inc dec neg abs mul mac qdiv rdiv
syn keyword ezpimFunction sdiv srem fldiv flmod relu cmpeq cmpne cmpgt cmplt cmpge
syn keyword ezpimFunction cmple cmpgts cmplts cmpges cmples fuzzy maxs mins mux sel
syn keyword ezpimFunction and nand nor or xor xnor inv bflip popc lshift
syn keyword ezpimFunction shl shr sar
syn keyword ezpimMnemonic ABS ADD ADDI AND ANDI ANDMASK ANDNMASK ASSERT BFLIP CAS
syn keyword ezpimMnemonic CASS CMPEQ CMPEQI CMPGE CMPGES CMPGT CMPGTI CMPGTS CMPLE CMPLES
syn keyword ezpimMnemonic CMPLT CMPLTI CMPLTS CMPNE COMPUTE COMPUTEG COMPUTE_DONE DEC FLDIV FLMOD
syn keyword ezpimMnemonic FUZZY GETC GETMASK GMOVE GOTO HALT INC INDEX INIT0 INIT1
syn keyword ezpimMnemonic INV JUMP JUMP_ANY JUMP_COND JUMP_NONE LANE LI LIK1 LIK2 LIK3
syn keyword ezpimMnemonic LIK4 LIK5 LSHIFT MAC MARK MAX MAXS MEMCPY MIN MINS
syn keyword ezpimMnemonic MOV MOVE MOVE_DONE MPU_SYNC MUL MULI MUX NAND NEG NOP
syn keyword ezpimMnemonic NOR OR POPC PRINT QDIV QRDIV RDIV RECIPE RECV RELU
syn keyword ezpimMnemonic REPEAT REPEAT_END RETURN SAR SARI SDIV SEL SEND SEND_DONE SETC
syn keyword ezpimMnemonic SETMASK SEXT SHL SHLI SHR SHRI SREM SUB UNMASK XNOR
syn keyword ezpimMnemonic XOR ZEXT
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
