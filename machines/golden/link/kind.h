/* SPDX-License-Identifier: MIT */
#ifndef MACHINES_GOLDEN_LINK_KIND_H
#define MACHINES_GOLDEN_LINK_KIND_H

#include "target/kind.h"

extern const struct target_kind golden_target_kind;

#endif
