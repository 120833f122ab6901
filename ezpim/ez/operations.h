/* SPDX-License-Identifier: MIT
 * Which operation of the intermediate form an operator or function of the language is. */
#ifndef EZPIM_EZ_OPERATIONS_H
#define EZPIM_EZ_OPERATIONS_H

#include "ezpim/ez/unit.h"
#include "ezpim/ir/float.h"

enum ir_op ez_binary_operation(uint8_t op); /* enum binary_op */
/* min, max, floordiv, floormod; IR_OPERATION_COUNT for the other functions. */
enum ir_op ez_function_operation(uint8_t function);
/* abs, sqrt, floor .. signbit, of floating point; and how floor, ceil, trunc and rint round. */
bool ez_function_is_float(uint8_t function);
enum ir_rounding ez_function_rounding(uint8_t function);

#endif
