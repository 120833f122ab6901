mpu-run --target racer --in a=2 --in x=1,2,3 --in y=4,5,6 --out z=z.csv --out z=z.npy --out z=z.raw --out RFH0.VRF0.r0:u8=r0.txt axpy.ez
cat z.csv r0.txt | head -5
od -An -tx1 z.raw
head -c 128 z.npy | tail -c 118
