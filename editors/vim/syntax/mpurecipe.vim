" Generated from isa-spec/ by isa-gen; edit the tables.
if exists("b:current_syntax")
  finish
endif
syn match mpurecipeNumber "\<\%(\d[0-9_]*\.\d[0-9_]*\%([eE][-+]\=\d\+\)\=\|\d\+[eE][-+]\d\+\|\d[0-9A-Za-z_]*\)\>"
syn keyword mpurecipeKeyword recipe sub instruction opcode any needs for generic mapped rows
syn keyword mpurecipeKeyword in serial par step downto down carry let at if
syn keyword mpurecipeKeyword else arith computes unlike expect gains costs
syn keyword mpurecipeConstant w zero one valid sections
syn keyword mpurecipeFunction not and or xor mux maj s
syn keyword mpurecipeMnemonic ABS ADD ADDI AND ANDI ANDMASK ANDNMASK ASSERT BFABS BFADD
syn keyword mpurecipeMnemonic BFCMPEQ BFCMPLE BFCMPLT BFCMPUN BFDIV BFLIP BFMAX BFMIN BFMUL BFNEG
syn keyword mpurecipeMnemonic BFSIGN BFSQRT BFSUB BFZERO CAS CASS CMPEQ CMPEQI CMPGE CMPGES
syn keyword mpurecipeMnemonic CMPGT CMPGTI CMPGTS CMPLE CMPLES CMPLT CMPLTI CMPLTS CMPNE COMPUTE
syn keyword mpurecipeMnemonic COMPUTEG COMPUTE_DONE CVT DEC FABS FADD FCMPEQ FCMPLE FCMPLT FCMPUN
syn keyword mpurecipeMnemonic FDIV FLDIV FLMOD FMAX FMIN FMUL FNEG FSIGN FSQRT FSUB
syn keyword mpurecipeMnemonic FUZZY FZERO GETC GETMASK GMOVE GOTO HALT INC INDEX INIT0
syn keyword mpurecipeMnemonic INIT1 INV JUMP JUMP_ANY JUMP_COND JUMP_NONE LANE LI LIK1 LIK2
syn keyword mpurecipeMnemonic LIK3 LIK4 LIK5 LSHIFT LUT MAC MARK MAX MAXS MEMCPY
syn keyword mpurecipeMnemonic MIN MINS MOV MOVE MOVE_DONE MPU_SYNC MUL MULI MULP MUX
syn keyword mpurecipeMnemonic NAND NEG NOP NOR OR POPC PRINT QDIV QRDIV RDIV
syn keyword mpurecipeMnemonic RECIPE RECV RELU REPEAT REPEAT_END RETURN SAR SARI SDIV SEL
syn keyword mpurecipeMnemonic SEND SEND_DONE SETC SETMASK SEXT SHL SHLI SHR SHRI SREM
syn keyword mpurecipeMnemonic SUB UNMASK XNOR XOR ZEXT
syn match mpurecipeComment "#.*$" contains=@Spell
hi def link mpurecipeComment Comment
hi def link mpurecipeString String
hi def link mpurecipeKeyword Statement
hi def link mpurecipeConstant Boolean
hi def link mpurecipeFunction Function
hi def link mpurecipeMnemonic Operator
hi def link mpurecipeNumber Number
let b:current_syntax = "mpurecipe"
