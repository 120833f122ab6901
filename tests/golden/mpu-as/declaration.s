.size n = 0
.size n
.size m = 8
.size m
.group g
.group h[0]
.group h[mm]
.group h[1,2,3,4]
.group h[m]
.group h[4]
.group i[4] like hh
.group j[4] at RFH1
.group j[4] at RFH1.VRF64
.group k[1 << 39, 4]
