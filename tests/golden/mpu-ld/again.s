        .group g[4]
        .global scale
scale:  RETURN
