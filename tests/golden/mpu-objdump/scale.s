        .global scale
        .sub scale
        ADD.16 r1 r1 r2
        RETURN
        .endsub
        .sub unused
        SDIV.9 r1 r2 r3
        RETURN
        .endsub
