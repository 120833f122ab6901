# npy FILE DESCR SHAPE BYTES: a version 1.0 file; BYTES as printf escapes
npy() {
    text="{'descr': '$2', 'fortran_order': False, 'shape': $3, }"
    printf '\223NUMPY\001\000\166\000%-117s\n' "$text" >"$1"
    printf "$4" >>"$1"
}
