        .global scales
        .sub scales
        RETURN
        .endsub
scale:  NOP
