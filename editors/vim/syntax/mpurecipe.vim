" Generated from isa-spec/ by isa-gen; edit the tables.
if exists("b:current_syntax")
  finish
endif
syn match mpurecipeNumber "\<\d[0-9A-Za-z_]*\>"
syn keyword mpurecipeKeyword recipe sub instruction opcode any needs for generic mapped in
syn keyword mpurecipeKeyword serial downto down carry let at if else computes expect
syn keyword mpurecipeKeyword gains costs
syn keyword mpurecipeConstant w zero one valid
syn keyword mpurecipeFunction not and or xor mux maj s
syn keyword mpurecipeMnemonic ABS ADD ADDI AND ANDI ANDMASK ANDNMASK ASSERT BFLIP CAS
syn keyword mpurecipeMnemonic CASS CMPEQ CMPEQI CMPGE CMPGES CMPGT CMPGTI CMPGTS CMPLE CMPLES
syn keyword mpurecipeMnemonic CMPLT CMPLTI CMPLTS CMPNE COMPUTE COMPUTEG COMPUTE_DONE DEC FLDIV FLMOD
syn keyword mpurecipeMnemonic FUZZY GETC GETMASK GMOVE GOTO HALT INC INDEX INIT0 INIT1
syn keyword mpurecipeMnemonic INV JUMP JUMP_ANY JUMP_COND JUMP_NONE LANE LI LIK1 LIK2 LIK3
syn keyword mpurecipeMnemonic LIK4 LIK5 LSHIFT MAC MARK MAX MAXS MEMCPY MIN MINS
syn keyword mpurecipeMnemonic MOV MOVE MOVE_DONE MPU_SYNC MUL MULI MUX NAND NEG NOP
syn keyword mpurecipeMnemonic NOR OR POPC PRINT QDIV QRDIV RDIV RECIPE RECV RELU
syn keyword mpurecipeMnemonic REPEAT REPEAT_END RETURN SAR SARI SDIV SEL SEND SEND_DONE SETC
syn keyword mpurecipeMnemonic SETMASK SEXT SHL SHLI SHR SHRI SREM SUB UNMASK XNOR
syn keyword mpurecipeMnemonic XOR ZEXT
syn match mpurecipeComment "#.*$" contains=@Spell
hi def link mpurecipeComment Comment
hi def link mpurecipeString String
hi def link mpurecipeKeyword Statement
hi def link mpurecipeConstant Boolean
hi def link mpurecipeFunction Function
hi def link mpurecipeMnemonic Operator
hi def link mpurecipeNumber Number
let b:current_syntax = "mpurecipe"
