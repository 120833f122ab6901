try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
printf '.global helper\nmain: JUMP helper\n' >a.s
printf '.global helper\nNOP\nJUMP helper\n' >b.s
try ezpim a.s b.s -o x.mpu
