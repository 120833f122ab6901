        .product
        .product 3, 4, 0, 7
        .product a
        .product b 0, 4, 0, 4
        .product c 65, 4, 0, 4
        .product d 4, 65, 0, 4
        .product e 4, 4, 8, 1
        .product f 4, 4, -1, 1
        .product g 4, 4, 0, 0
        .product h 4, 4, 0, 65
        .product i 4, 4, 0
        .product j 4, 4, 0, 8, uu
        .product k 4, 4, 0, 8, ss, ss
        .product l 4 4 0 8
        .product good 4, 4, 0, 8, ss
        .product good 4, 4, 0, 7
        MULP r1 r2 r3 r4
        MULP goad r1 r2 r3
        MULP 1 r1 r2 r3
        MULP -1 r1 r2 r3
        MULP.9 good r1 r2 r3
        MULP good r1 r2
