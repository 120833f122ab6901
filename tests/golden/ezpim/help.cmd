# no pipe: no input is read
ezpim --help
