/* SPDX-License-Identifier: MIT
 * Rows by what every processor of the host's kind has. */
#define ROWS      simt_rows_base
#define ROWS_NAME "base"
#include "machines/core/simt/run/rows.inc"
