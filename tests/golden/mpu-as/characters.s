größe: NOP
  JUMP größe
  ADD rö1 r2 r3
  MARK "x" ADD
  NOP ?
  NOP `
