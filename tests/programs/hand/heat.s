// A 3 x 3 stencil on tiles in 2 x 3 MPUs, as examples/heat.ez.
        .geometry grid=[2, 3]
        .size   h
        .size   w
        .size   rounds = 6
        .group  tile[h, w] per mpu
        .var in start: u16 @tile = r0
        .var out heat: u16 @tile = r1
        .move   west   u16 @tile r2[p, q, i, j] = heat[p, q, i, j - 1] else 0
        .move   west1  u16 @tile r2[p, q, i, j: 0 .. 1] = heat[p, q - 1, i, w - 1]
        .move   east   u16 @tile r3[p, q, i, j] = heat[p, q, i, j + 1] else 0
        .move   east1  u16 @tile r3[p, q, i, j: w - 1 .. w] = heat[p, q + 1, i, 0]
        .move   north  u16 @tile r5[p, q, i, j] = @tile r4[p, q, i - 1, j] else 0
        .move   north1 u16 @tile r5[p, q, i: 0 .. 1, j] = @tile r4[p - 1, q, h - 1, j]
        .move   south  u16 @tile r6[p, q, i, j] = @tile r4[p, q, i + 1, j] else 0
        .move   south1 u16 @tile r6[p, q, i: h - 1 .. h, j] = @tile r4[p + 1, q, 0, j]
        .mpu    0..5 main
        .global main

        .width  16
main:   COMPUTEG @tile
        MOV     start heat
        COMPUTE_DONE
        REPEAT  size(rounds)
        GMOVE   west
        GMOVE   west1
        GMOVE   east
        GMOVE   east1
        COMPUTEG @tile
        ADD     heat heat r4
        ADD     r4 r2 r4
        ADD     r4 r3 r4
        COMPUTE_DONE
        GMOVE   north
        GMOVE   north1
        GMOVE   south
        GMOVE   south1
        COMPUTEG @tile
        ADD     r4 r4 heat
        ADD     heat r5 heat
        ADD     heat r6 heat
        SHRI    heat 4 heat
        COMPUTE_DONE
        REPEAT_END
        HALT
