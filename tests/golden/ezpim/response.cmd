printf -- '-S\n-o -\n"my kernel.ez"\n' >args.rsp
cp define.ez 'my kernel.ez'
ezpim -D K=3 -D L @args.rsp
