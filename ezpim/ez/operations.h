/* SPDX-License-Identifier: MIT
 * Which operation of the table of all front ends (ezpim/array/operations.h) an operator or function
 * of the language is: its name, its operands and its types are said there. */
#ifndef EZPIM_EZ_OPERATIONS_H
#define EZPIM_EZ_OPERATIONS_H

#include "ezpim/array/array.h"
#include "ezpim/ez/unit.h"

enum array_op ez_unary_operation(uint8_t op);  /* enum unary_op */
enum array_op ez_binary_operation(uint8_t op); /* enum binary_op; && and || are those of bits */
/* Of functions element by element; ARRAY_OPS for the other ones. */
enum array_op ez_function_operation(uint8_t function);
/* abs, sqrt, floor .. signbit, of floating point. */
bool ez_function_is_float(uint8_t function);
/* It takes numbers, and they may not be of floating point. */
bool ez_is_of_integers(enum array_op op);

#endif
