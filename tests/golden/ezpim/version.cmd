# The number is that of the file VERSION.
ezpim --version | sed "s/[0-9.]*$/N/"
