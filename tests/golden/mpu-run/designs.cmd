# Machines of whole rows beside machines of rows of slots: one table, the same results.
in='--in x=9,250,3,77 --in y=1,10,200,77 --in v=1,2,3,4,5,6,7,8'
sed "s/in consumed/in/" consumed.ez > kept.ez
mpu-run --target simdram,ambit,pluto-bsa,pluto-gmc kept.ez $in --out z=z.npy
mpu-run -Wno-recipe-table --target simdram,ambit,pluto-bsa,pluto-gmc kept.ez $in --expect z=z.npy --check >/dev/null
