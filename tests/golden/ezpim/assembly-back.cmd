# no pipe: writes files
ezpim -S axpy.ez && ezpim -c axpy.s -o a.o && ezpim -c axpy.ez -o b.o && cmp a.o b.o && ls *.s *.o
