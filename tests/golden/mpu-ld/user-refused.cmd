# Recipe files with instructions that are wrong, each for a reason of its own
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as -g -o user.o user.s || exit
# case NAME: the file on standard input is given to mpu-ld
case_of() {
    cat >"$1.recipe"
    try mpu-ld --target racer --recipe-file "$1.recipe" -o user.mpu user.o
}
try mpu-ld --target racer -o user.mpu user.o
case_of opcode-range <<'EOF'
instruction AVG(a, b) -> d   opcode 0x40
{ computes d == a }
EOF
case_of name-taken <<'EOF'
instruction ISA_ADD(a, b) -> d   opcode 0xC0
{ computes d == a }
EOF
case_of name-lower <<'EOF'
instruction avg(a, b) -> d   opcode 0xC0
{ computes d == a }
EOF
case_of two-opcodes <<'EOF'
instruction AVG(a, b) -> d   opcode 0xC0
{ computes d == a }
instruction MEAN(a, b) -> d   opcode 0xC0
{ computes d == b }
EOF
case_of no-opcode <<'EOF'
instruction AVG(a, b) -> d
{ computes d == a }
EOF
case_of operands <<'EOF'
instruction AVG(a) -> d   opcode 0xC0
{ computes d == a }
EOF
case_of no-contract <<'EOF'
instruction AVG(a, b) -> d   opcode 0xC0
{ }
EOF
case_of half-contract <<'EOF'
instruction AVG(a, b) -> d   opcode 0xC0
{ computes d == a }
instruction SPLIT(a, b) -> b, d   opcode 0xF4
{ computes d == a }
EOF
case_of contract-name <<'EOF'
instruction AVG(a, b) -> d   opcode 0xC0
{ computes d == (a + x) >> 1 }
EOF
case_of body <<'EOF'
instruction AVG(a, b) -> d   opcode 0xC0
{
  for j in 0 .. w-1 { d[j] = NOR(a[j], b[j]) }
  computes d == ~(a | b)
}
EOF
case_of undeclared <<'EOF'
instruction AVG(a, b) -> d   opcode 0xC0
{ computes d == a & b }
recipe AVGS(a, b) -> d   any w   generic
{ for j in 0 .. w-1 { d[j] = a[j] & b[j] } }
EOF
case_of wrong-recipe <<'EOF'
instruction AVG(a, b) -> d   opcode 0xC0
{ computes d == (a & b) + ((a ^ b) >> 1) }
recipe AVG(a, b) -> d   any w   generic
{ for j in 0 .. w-1 { d[j] = a[j] & b[j] } }
EOF
case_of wrong-contract <<'EOF'
instruction AVG(a, b) -> d   opcode 0xC0
{ computes d == a & b }
recipe AVG(a, b) -> d   any w   generic
{
  for j in 0 .. w-1 { d[j] = a[j] & b[j] }
  computes d == a | b
}
EOF
case_of two-recipes <<'EOF'
instruction AVG(a, b) -> d   opcode 0xC0
{ computes d == a & b }
recipe AVG(a, b) -> d   any w   generic
{ for j in 0 .. w-1 { d[j] = a[j] & b[j] } }
recipe AVG(a, b) -> d   any w   generic
{ for j in 0 .. w-1 { d[j] = b[j] & a[j] } }
EOF
case_of no-recipe <<'EOF'
instruction AVG(a, b) -> d   opcode 0xC0
{ computes d == a & b }
EOF
rm -f ./*.recipe user.o
exit 1
