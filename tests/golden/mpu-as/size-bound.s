        .size a <= 65536
        .size b <= 65536 = 4096
        .size c <= 0
        .size d <= 10 = 11
        .size e <= 1 << 41
        .size f <=
        .size h <= 10 10
        .size k < 10
        .size l <= 1 << 40 = 1 << 40
