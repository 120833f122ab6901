/* SPDX-License-Identifier: MIT
 * Declarations: types, sizes and groups are known behind them; what is never used is warned about.
 */
#ifndef EZPIM_EZ_CHECK_DECL_H
#define EZPIM_EZ_CHECK_DECL_H

#include "ezpim/ez/check.h"

void ez_check_decl(struct checker *checker, struct decl *decl);
void ez_declare_defines(struct checker *checker);

#endif
