/* SPDX-License-Identifier: MIT
 * The option table of mpu-as. */
#include "tools/mpu-as/as_options.h"

static const struct option options[] = {
    {OPT_OUTPUT, "-o, --output", ARG_REQUIRED, "FILE", "Output",
     "the object; without it x.o for an input x.s, standard output for standard input"},
    {OPT_LISTING, "--listing", ARG_REQUIRED, "FILE", NULL,
     "also write index, word and source of every line"},
    DEPEND_OPTIONS(NULL),
    {OPT_DEBUG, "-g, --debug", ARG_NONE, NULL, NULL, "also write a line table (.debug_line)"},
    {OPT_INCLUDE, "-I, --include-dir", ARG_REQUIRED, "DIR", "Input",
     "search DIR for .include, after the folder of the including file"},
    {OPT_DEFINE, "-D, --define", ARG_REQUIRED, "NAME[=N]", NULL,
     "define a constant as .equ does; 1 without a number"},
    {OPT_SYNTAX, "--syntax", ARG_REQUIRED, "mpu|rc|dpu|simt", NULL,
     "mpu (default), rc: the assembly of the published MPU simulator, or dpu: a program of a DPU"},
    {OPT_WIDTH, "--width", ARG_REQUIRED, "N", NULL,
     "with --syntax=rc: words have N bits, 1 to 64 (default: 64)"},
    {OPT_RFHS, "--rfhs", ARG_REQUIRED, "N", NULL,
     "with --syntax=rc: an MPU has N RFHs, 1 to 4096 (default: 8)"},
};

const struct tool mpu_as_tool = {
    .name = "mpu-as",
    .summary = "mpu-as - assembler for MPU ISA programs",
    .synopsis = "[options] FILE",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .warner = TOOL_AS,
    .epilog = "Examples:\n"
              "  mpu-as -g -o prog.o prog.s\n"
              "  mpu-as -D N=4 --listing=prog.lst prog.s\n"
              "  mpu-as --syntax=rc --width 8 add.rc\n",
};
