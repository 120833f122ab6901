        .size n
        .size h = 100
        .size a = (2 * n + 3) / 4
        .size b = min(n, h) - max(h / 2, 7)
        .size c = n % 2
        .size d = n / (h - h / 1) * k
        .size e = n / 0
        .size f <= 9 = n
        .size g = n * 2000000000000
        .size i = max(n)
        .size j = -(n
        .group g[n / 0]
        .group v[n <= 3]
        .move  m u8 r1[q: 0 .. n / 2] = r2
        .size  h = n
