echo '--output "my program.mpu" lib.o' >args.rsp
mpu-as lib.s && mpu-ld @args.rsp && ls *.mpu
