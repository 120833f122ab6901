/* SPDX-License-Identifier: MIT
 * Link-time values (check_host.c). */
#ifndef EZPIM_EZ_CHECK_HOST_H
#define EZPIM_EZ_CHECK_HOST_H

#include "ezpim/ez/check.h"

void ez_decl_host(struct checker *checker, struct decl *decl);
/* An element of a link-time value, or a single one, in an expression. */
void ez_check_host(struct checker *checker, struct expr *expr, struct ez_symbol *symbol);

#endif
