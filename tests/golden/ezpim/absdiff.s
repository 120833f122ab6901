// The distance of two numbers, in the lanes that call it.
        .signature absdiff in r40: u32, r41: u32 out r42: u32 clobber r41, r43
        .sub absdiff
        GETMASK r43
        MOV.32 r40 r42
        CMPGE.32 r40 r41
        ANDMASK cond
        SUB.32 r40 r41 r42
        SETMASK r43
        CMPLT.32 r40 r41
        ANDMASK cond
        SUB.32 r41 r40 r42
        SETMASK r43
        INIT0.32 r41
        RETURN
        .endsub
