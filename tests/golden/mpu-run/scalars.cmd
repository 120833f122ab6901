for level in 0 1 2; do
    ezpim -O $level -o scalars.mpu scalars.ez || exit
    for target in golden racer; do
        mpu-run --target $target scalars.mpu --size n=5 --in x=1,2,3,4,50,0,0,0,0,0 --in y=1,2,3,4,5,6 --in a=7 --print r --print laps --print y || exit
    done
done
