// k-means with four clusters, eight rounds, as examples/kmeans.ez.  The four sums of x, the four of y
// and the four counts are folded together: twelve registers of an element are one array for GMOVE.
        .size   n
        .group  g[n]
        .var in  x: i16 @g = r0
        .var in  y: i16 @g = r1
        .var out label: u8 @g = r2
        .var out cx: i16[4] = r4        // kept with 32 bits while at work
        .var out cy: i16[4] = r8
        .move   first_x i16 cx[k] = x[k]
        .move   first_y i16 cy[k] = y[k]
        .move   odd  i32 @g r24 .. r35[i, k] = @g r12 .. r23[2 * i + 1, k] else 0
        .move   even i32 @g r12 .. r23[i, k] = @g r12 .. r23[2 * i, k] else 0
        .move   all  i32 r12 .. r23[k] = @g r12 .. r23[0, k]
        .global main

        .width  32

        .macro  wide a, b, c, d
        SEXT    \a 16 \a
        SEXT    \b 16 \b
        SEXT    \c 16 \c
        SEXT    \d 16 \d
        .endm

        .macro  distance k, to
        SUB     r40 cx[\k] r43
        SUB     r41 cy[\k] r44
        MUL     r43 r43 \to
        MAC     r44 r44 \to
        .endm

        .macro  nearer k
        distance \k, r45
        CMPLT   r45 r42
        SETMASK cond
        MOV     r45 r42
        LI.8    \k label
        UNMASK
        .endm

        .macro  share k, x, y, n        // what an element gives to each cluster
        CMPEQI.8 label \k
        GETC    \n
        SEXT    \n 1 r43
        AND     r40 r43 \x
        AND     r41 r43 \y
        .endm

        .macro  centre k, x, y, n
        CMPGTI  \n 0
        SETMASK cond
        SDIV    \x \n cx[\k]
        SDIV    \y \n cy[\k]
        UNMASK
        .endm

main:   GMOVE   first_x
        GMOVE   first_y
        COMPUTEG @g
        SEXT    x 16 r40
        SEXT    y 16 r41
        wide    cx[0], cx[1], cx[2], cx[3]
        wide    cy[0], cy[1], cy[2], cy[3]
        LI.41   size(n) r39
        LIK1.41 size(n) r39
        LIK2.41 size(n) r39
        LIK3.41 size(n) r39
        ADDI.41 -1 r39
        COMPUTE_DONE
        REPEAT  8
        COMPUTEG @g
        distance 0, r42
        INIT0.8 label
        nearer  1
        nearer  2
        nearer  3
        share   0, r12, r16, r20
        share   1, r13, r17, r21
        share   2, r14, r18, r22
        share   3, r15, r19, r23
        MOV.41  r39 r38
        COMPUTE_DONE
fold:   GMOVE   odd
        GMOVE   even
        COMPUTEG @g
        ADD     r12 r24 r12
        ADD     r13 r25 r13
        ADD     r14 r26 r14
        ADD     r15 r27 r15
        ADD     r16 r28 r16
        ADD     r17 r29 r17
        ADD     r18 r30 r18
        ADD     r19 r31 r19
        ADD     r20 r32 r20
        ADD     r21 r33 r21
        ADD     r22 r34 r22
        ADD     r23 r35 r23
        SHRI.41 r38 1 r38               // ceil(n / 2) - 1
        CMPGTI.41 r38 0
        SETMASK cond
        COMPUTE_DONE
        JUMP_ANY fold
        GMOVE   all
        COMPUTEG @g
        centre  0, r12, r16, r20
        centre  1, r13, r17, r21
        centre  2, r14, r18, r22
        centre  3, r15, r19, r23
        COMPUTE_DONE
        REPEAT_END
        HALT
