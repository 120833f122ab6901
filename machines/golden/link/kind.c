/* SPDX-License-Identifier: MIT
 * Keys of golden's target file that say what it takes the place of, and that nothing reads. */
#include "machines/golden/link/golden.h"

static const struct target_key_spec keys[] = {
    {"array.sections", KEY_U32, NEED_ALL, 1, 64, 1, -1, NULL, "as the machine that it stands for"},
    {"array.rows", KEY_U32, NEED_ALL, 1, 65536, 1, -1, NULL, "as the machine that it stands for"},
};

const struct target_kind golden_target_kind = {
    .name = "golden",
    .ariths = ARITH_BIT(ARITH_FLUSH),
    .keys = keys,
    .key_count = sizeof keys / sizeof *keys,
};
