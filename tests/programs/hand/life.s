// Conway's Game of Life on a torus, as examples/life.ez: sums of three in a row, then three of these
// in a column.  Moves write one and two bits; what is above stays zero, so that sums need no
// conversion.
        .size   h
        .size   w
        .size   generations = 10
        .group  board[h, w]
        .var in  start: u1 @board = r0
        .var out alive: u1 @board = r1
        .move   west  u1 @board r2[i, j] = @board r1[i, j - 1] wrap
        .move   east  u1 @board r3[i, j] = @board r1[i, j + 1] wrap
        .move   north u2 @board r5[i, j] = @board r4[i - 1, j] wrap
        .move   south u2 @board r6[i, j] = @board r4[i + 1, j] wrap
        .global main

        .width  4
main:   COMPUTEG @board
        ZEXT    start 1 alive
        INIT0   r2
        INIT0   r3
        INIT0   r4
        INIT0   r5
        INIT0   r6
        COMPUTE_DONE
        REPEAT  size(generations)
        GMOVE   west
        GMOVE   east
        COMPUTEG @board
        ADD.2   r2 alive r4
        ADD.2   r3 r4 r4
        COMPUTE_DONE
        GMOVE   north
        GMOVE   south
        COMPUTEG @board
        ADD     r5 r4 r7
        ADD     r6 r7 r7
        SUB     r7 alive r7             // the eight neighbours
        OR      r7 alive r7             // 3 of them, or 2 around a living cell
        CMPEQI  r7 3
        GETC.1  alive
        COMPUTE_DONE
        REPEAT_END
        HALT
