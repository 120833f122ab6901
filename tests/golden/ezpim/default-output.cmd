# no pipe: names of files
ezpim axpy.ez && ezpim -c axpy.ez && ezpim axpy.o -o two.mpu && cmp axpy.mpu two.mpu && ls *.mpu *.o
