# no pipe: no input is read
ezpim --outptu x axpy.ez
