# no pipe: no input is read
ezpim --emit=llvm axpy.ez
