/* SPDX-License-Identifier: MIT */
#ifndef EZPIM_EZ_CHECK_DECL_H
#define EZPIM_EZ_CHECK_DECL_H

#include "ezpim/ez/check.h"

void check_decl(struct checker *c, struct decl *d);
void declare_defines(struct checker *c);
/* -Wunused for one declared name. */
void warn_unused(struct checker *c, const struct ez_symbol *s);

#endif
