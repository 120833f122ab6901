/* SPDX-License-Identifier: MIT
 * What mpu-pycheck.py takes. */
#include "tools/mpu-pycheck/pycheck_options.h"

enum {
    OPT_TARGET = 1,
    OPT_ENTRY,
    OPT_DEFINE,
    OPT_IN,
    OPT_SIZE,
    OPT_SEED,
    OPT_PROMOTION,
    OPT_FINISH,
    OPT_QUIET,
    OPT_HELP
};

static const struct option options[] = {
    {OPT_TARGET, "--target", ARG_REQUIRED, "T[,T...]", "What is compared",
     "machines (default: golden,racer,mimdram,duality-cache)"},
    {OPT_ENTRY, "--entry", ARG_REQUIRED, "F", NULL,
     "the function, where several are called by none"},
    {OPT_DEFINE, "-D", ARG_REQUIRED, "NAME=NUMBER", NULL,
     "a constant of the file; those made of it follow"},
    {OPT_SIZE, "--size", ARG_REQUIRED, "N[,N...]", NULL,
     "constants that are whole extents of parameters become N, unless -D sets them: a run for each"},
    {OPT_IN, "--in", ARG_REQUIRED, "NAME=FILE", NULL,
     "an input: a .npy file, numbers (1,2,3 or 1.5,-inf,nan), zeros, iota, random:SEED. Constants that are whole "
     "extents follow the shapes of files and numbers. What is not given is drawn, edges of its "
     "type among it"},
    {OPT_SEED, "--seed", ARG_REQUIRED, "N", NULL, "of what is drawn (default: 0)"},
    {OPT_PROMOTION, "--promotion", ARG_REQUIRED, "1.24|2", NULL,
     "whose types NumPy takes where its versions differ (default: 2); lines that hang on it are named"},
    {OPT_FINISH, "--finish", ARG_REQUIRED, "device|host|auto", NULL,
     "who finishes reductions that the host may finish (default: auto), see mpu-run(1)"},
    {OPT_QUIET, "-q", ARG_NONE, NULL, "Output", "print differences alone"},
    {OPT_HELP, "-h, --help", ARG_NONE, NULL, "Common options", "print a short text and exit"},
};

const struct tool mpu_pycheck_tool = {
    .name = "mpu-pycheck",
    .summary = "mpu-pycheck - runs kernels in Python under NumPy and as programs, and compares",
    .synopsis = "[options] FILE...",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .foreign = true,
};
