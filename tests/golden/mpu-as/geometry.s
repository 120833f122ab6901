.geometry lanes=0
.geometry vrfs=65
.geometry rows=5
.geometry lanes
.mpu 1
.mpu 0
.mpu 4..3
.mpu 9999999
.mpu 7 mian
main: NOP
.geometry grid=4
.geometry grid=[2, 3, 4]
.geometry grid=[2, 0]
.geometry grid=[4096, 4096]
.group h[4] per lane
.group i[4]
.group j[4] per mpu like i
