# random: without a range draws from what the variable's type holds
mpu-run --target racer random-narrow.ez --check --in a=random:1 --in b=random:2 --in p=random:3 --print y
