/* SPDX-License-Identifier: MIT */
#ifndef EZPIM_EZ_CHECK_DECL_H
#define EZPIM_EZ_CHECK_DECL_H

#include "ezpim/ez/check.h"

void ez_check_decl(struct checker *c, struct decl *d);
void ez_declare_defines(struct checker *c);
/* -Wunused for one declared name. */
void ez_warn_unused(struct checker *c, const struct ez_symbol *s);

#endif
