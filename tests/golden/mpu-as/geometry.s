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
