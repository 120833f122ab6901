// Myers' bit-parallel search of a probe of 64 bases in reads of 100, as examples/edit-distance.ez.
        .size   n
        .group  g[n]
        .var in  probe: u64[4] = r0
        .var in  read: u64[4] @g = r4
        .var out edits: u8 @g = r8
        .var out end: u8 @g = r9
        .global main
// r10 and r11 are the rows one above and one below the row before, r12 the score, r13 the position,
// r14 the bases to come.

        .macro  bases w
        MOV     read[\w] r14
        REPEAT  25
        MOV.1   r14 r15                 // the lower bit of the base, twice: SEL overwrites it
        MOV.1   r14 r17
        SHRI    r14 1 r16               // the upper one
        SHRI    r14 2 r14
        SEL     probe[1] probe[0] r15
        SEL     probe[3] probe[2] r17
        SEL     r17 r15 r16             // equal
        OR      r16 r11 r15             // vertical = equal | down
        AND     r16 r10 r17
        ADD     r17 r10 r17
        XOR     r17 r10 r17
        OR      r17 r16 r16             // across
        NOR     r16 r10 r17
        OR      r11 r17 r17             // rises
        AND     r10 r16 r16             // falls
        SHRI    r17 63 r18
        ADD.8   r12 r18 r12
        SHRI    r16 63 r18
        SUB.8   r12 r18 r12
        SHLI    r17 1 r17
        SHLI    r16 1 r16
        NOR     r15 r17 r18
        OR      r16 r18 r10
        AND     r17 r15 r11
        ADDI.8  1 r13
        CMPLT.8 r12 edits
        SETMASK cond
        MOV.8   r12 edits
        MOV.8   r13 end
        UNMASK
        REPEAT_END
        .endm

main:   COMPUTEG @g
        LI      -1 r10
        INIT0   r11
        LI.8    64 r12
        INIT0.8 r13
        LI.8    64 edits
        INIT0.8 end
        bases   0
        bases   1
        bases   2
        bases   3
        COMPUTE_DONE
        HALT
