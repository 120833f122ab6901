# What is said about every kind of mistake in a recipe for sections; bad-rows has those of rows.
bad() {
    echo "--- $1" >&2
    printf '%s\n' "$2" >bad.recipe
    mpu-recipe check bad.recipe >/dev/null
    echo "exit $?" >&2
    rm bad.recipe
}
bad "wrong result" 'recipe AND(a, b) -> d   any w   needs OR
{
  for j in 0 .. w-1 { d[j] = OR(a[j], b[j]) }
}'
bad "wrong contract" 'recipe OR(a, b) -> d   any w   needs OR
{
  for j in 0 .. w-1 { d[j] = OR(a[j], b[j]) }
  computes d == a + b
}'
bad "contract of no result" 'recipe OR(a, b) -> d   any w   needs OR
{
  for j in 0 .. w-1 { d[j] = OR(a[j], b[j]) }
  computes a == a | b
}'
bad "wrong expectation" 'recipe OR(a, b) -> d   any w   needs OR
{
  for j in 0 .. w-1 { d[j] = OR(a[j], b[j]) }
  expect OR <= w - 1, scratch == 0
}'
bad "expectation of an unknown count" 'recipe OR(a, b) -> d   any w   needs OR
{
  for j in 0 .. w-1 { d[j] = OR(a[j], b[j]) }
  expect ORS == w
}'
bad "endless bound" 'recipe OR(a, b) -> d   any w   needs OR
{
  serial for k in 0 .. 9223372036854775807 { t = OR(a[0], b[0]) }
  for j in 0 .. w-1 { d[j] = OR(a[j], b[j]) }
}'
bad "loops in loops" 'recipe OR(a, b) -> d   any w   needs OR
{
  serial for i in 0 .. 99999 { serial for k in 0 .. 99999 { let t = k } }
  for j in 0 .. w-1 { d[j] = OR(a[j], b[j]) }
}'
bad "bound that is data" 'recipe OR(a, b) -> d   any w   needs OR
{
  for j in 0 .. a { d[j] = OR(a[j], b[j]) }
}'
bad "bit beyond the register" 'recipe OR(a, b) -> d   any w   needs OR
{
  for j in 0 .. w { d[j] = OR(a[j], b[j]) }
}'
bad "crossing that is none" 'recipe MOV(a) -> d   any w   needs COPY
{
  for j in 0 .. w-1 { d[j] = COPY(a[0]) }
}'
bad "sub that calls itself" 'sub F(x) -> y { y = F(x) }
recipe MOV(a) -> d   any w   needs COPY
{
  for j in 0 .. w-1 { d[j] = F(a[j]) }
}'
