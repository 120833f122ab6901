# no pipe: writes a file that another tool reads
ezpim --target golden,racer --size n=1000 -o p.mpu axpy.ez && mpu-objdump -h p.mpu | grep pkg | sed "s/  */ /g" | cut -d" " -f3
