# no pipe: no input is read
ezpim --size n=3 axpy.ez
