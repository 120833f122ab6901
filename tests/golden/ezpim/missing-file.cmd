# no pipe: there is no input
ezpim nothing.ez
