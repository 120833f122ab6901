# no pipe: two files
# Several .ez files are one program, also as text, as an object and in the intermediate form.
ezpim -S -o - several-main.ez several-data.ez | sed -n '/^main/,$p'
ezpim -c several-main.ez several-data.ez && mpu-objdump -d --no-show-raw-insn several-main.o
ezpim --emit=ir several-main.ez several-data.ez
ezpim -S several-main.ez several.s
