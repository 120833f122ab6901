# What stands against several instructions is said once; a copy to rows of other sections has a note.
mpu-recipe check --target plain-rows.yaml --no-cache --op GETMASK,ADD,SUB,CMPLT,MAX,POPC,INV,XOR --width 2,4,5
