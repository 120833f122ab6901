/* SPDX-License-Identifier: MIT
 * docs/recipe-proofs.md, and docs/recipe-proofs.csv, from which it is made: a line for each target
 * of which ./dev prove has proved the whole plan, with the number of proofs and a fingerprint of
 * what the target's recipes were (prove_fingerprint). */
#ifndef TESTS_RECIPE_PROOF_PAGE_H
#define TESTS_RECIPE_PROOF_PAGE_H

#include "support/diag.h"
#include "support/str.h"

/* The page, from the text of the records.  A target without a record, or whose recipes are others
 * now, stands there as not proved.  False after reporting. */
bool proof_page_write(const char *records, struct str *out, struct diag *diag);
/* Its row for one target: none without static recipes. */
void proof_page_row(const char *records, const char *target, struct str *out, struct diag *diag);
/* The records with that target's line as it must be when all of its plan has been proved now. */
bool proof_page_note(const char *records, const char *target, struct str *out, struct diag *diag);

#endif
