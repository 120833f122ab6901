# What is said about every kind of mistake in a recipe that names rows and replaces what it reads.
bad() {
    echo "--- $2" >&2
    printf '%s\n' "$3" >bad.recipe
    mpu-recipe check --target "$1" bad.recipe >/dev/null
    echo "exit $?" >&2
    rm bad.recipe
}
cat >votes.yaml <<'YAML'
schema: 1
name: votes
extends: mimdram
rows: { wells: { range: "0..3", use: compute }, D: { range: "4..1005", scratch: 200 } }
ops:
  FLIP: { in: [a], out: d, fn: "!a", where: "class(d) == wells", energy: e_aap }
  MAJ:  { in: [p, q, r], out: [p, q, r], fn: { p: "maj(p, q, r)", q: "maj(p, q, r)", r: "maj(p, q, r)" },
          where: "class(p) == wells && class(q) == wells && class(r) == D", energy: e_aap }
YAML
bad mimdram "row that holds nothing" 'recipe INV(a) -> d   any w   for mimdram
{
  for j in 0 .. w-1 { AAP T0 <- a[j] ; AAP d[j] <- DCC0n }
}'
bad mimdram "rows of different values together" 'recipe AND(a, b) -> d   any w   for mimdram
{
  for j in 0 .. w-1 { AAP T2 <- a[j] ; AAP T3 <- b[j] ; AAP d[j] <- B10 }
}'
bad mimdram "row in both addresses" 'recipe MOV(a) -> d   any w   for mimdram
{
  for j in 0 .. w-1 { AAP B12 <- a[j] ; AAP B14 <- B12 }
}'
bad mimdram "constant destroyed" 'recipe MOV(a) -> d   any w   for mimdram
{
  for j in 0 .. w-1 { AAP C1 <- a[j] ; AAP d[j] <- C1 }
}'
bad mimdram "source destroyed" 'recipe MOV(a) -> d   any w   for mimdram
{
  for j in 0 .. w-1 { AAP a[j] <- C0 ; AAP d[j] <- a[j] }
}'
bad mimdram "group where a place is meant" 'recipe MOV(a) -> d   any w   for mimdram
{
  for j in 0 .. w-1 { B10 = AAP(a[j]) ; d[j] = AAP(T2) }
}'
bad mimdram "unknown row" 'recipe MOV(a) -> d   any w   for mimdram
{
  for j in 0 .. w-1 { AAP T2 <- a[j] ; AAP d[j] <- T9 }
}'
bad racer "gate reading what it destroys" 'recipe INC(a) -> d   any w   for racer
{
  for j in 0 .. w-1 { d[j] = NOR(a[j], zero) ; d[j] = NOR(d[j], zero) }
}'
bad racer "micro-op that activates nothing" 'recipe MOV(a) -> d   any w   for racer
{
  for j in 0 .. w-1 { COPY d[j] <- a[j] }
}'
bad votes.yaml "result under another name than its operand" 'recipe AND(a, b) -> d   any w   needs MAJ
{
  for j in 0 .. w-1 {
    p = FLIP(a[j])
    q = FLIP(b[j])
    d[j] = AAP(C0)
    q, p, d[j] = MAJ(p, q, d[j])
  }
}'
bad votes.yaml "classes of rows that do not meet" 'recipe AND(a, b) -> d   any w   needs MAJ
{
  for j in 0 .. w-1 {
    p = FLIP(a[j])
    q = FLIP(b[j])
    r = FLIP(b[j])
    p, q, r = MAJ(p, q, r)
    d[j] = AAP(r)
  }
}'
bad votes.yaml "more values than compute rows" 'recipe XOR(a, b) -> d   any w   needs FLIP
{
  t = FLIP(a[0])
  serial for j in 0 .. 3 { t = FLIP(t) }
  p = FLIP(a[0]) ; q = FLIP(p) ; r = FLIP(q) ; s = FLIP(r) ; t = FLIP(s)
  d[0] = AAP(p) ; d[0] = AAP(q) ; d[0] = AAP(r) ; d[0] = AAP(s) ; d[0] = AAP(t)
}'
bad duality-cache "mask that cannot be put back" 'recipe MOV(a) -> d   any w   for duality-cache
{
  for j in 0 .. w-1 { LDT(a[j]) ; d[j] = CP(a[j]) }
}'
bad duality-cache "operand that is always the same" 'recipe ADD(a, b) -> d   any w   for duality-cache
{
  SETC0()
  for j in 0 .. w-1 { d[j], carry = FADD(a[j], b[j], carry) }
}'
rm votes.yaml
