# -g writes the lines; without it the bytes are those of a file that never had any.
ezpim -g -o - axpy.ez | mpu-objdump -d -l -
ezpim -g -S -o - axpy.ez | grep debug_lines
ezpim -o - axpy.ez | mpu-objdump -d -l - | grep axpy.ez
ezpim -S -o - axpy.ez | grep debug_lines
