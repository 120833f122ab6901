/* SPDX-License-Identifier: MIT
 * The formats of support/ieee.h as LLVM names them; for C++ alone. */
#ifndef SUPPORT_LLVM_SEMANTICS_H
#define SUPPORT_LLVM_SEMANTICS_H

#include <llvm/ADT/APFloat.h>

/* Of binary16, bfloat16, binary32 and binary64. */
inline const llvm::fltSemantics &semantics_of(unsigned exponent_bits, unsigned fraction_bits) {
    return exponent_bits == 5    ? llvm::APFloat::IEEEhalf()
           : exponent_bits == 11 ? llvm::APFloat::IEEEdouble()
           : fraction_bits == 7  ? llvm::APFloat::BFloat()
                                 : llvm::APFloat::IEEEsingle();
}

#endif
