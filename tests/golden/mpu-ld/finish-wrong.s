        .group g[4]
        .var out a: i32 = r1
        .var out b: i32 = r2
        .var out c: i32 = r3
        .var out d: i32 = r4
        .sub f
        .finish a = sum i32 @g r0
        NOP
        .endfinish
        RETURN
        .endsub
main:   COMPUTEG @g
        INC.32  r0 r0
        .finish b = sum i32 @g r0
        COMPUTE_DONE
        .endfinish
        REPEAT  4
        .finish c = sum i32 @g r0
        NOP
        .endfinish
        REPEAT_END
        .finish d = sum i32 @g r0
        NOP
into:   NOP
        .endfinish
        JUMP    into
