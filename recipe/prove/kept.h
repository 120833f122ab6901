/* SPDX-License-Identifier: MIT
 * Proofs that were made before.  The key of one is a hash: of the file that asks a task whole, with
 * its micro-ops, the functions of the target's gates and the contract; of the file that was left of
 * it, which many tasks may share; or of a law.  Whatever changes one of these asks anew. */
#ifndef RECIPE_PROVE_KEPT_H
#define RECIPE_PROVE_KEPT_H

#include <stdbool.h>
#include <stddef.h>

struct kept_proofs;

/* Reads the file; one that is not there holds nothing yet.  NULL with errno if it cannot be read.
 * Without a path nothing outlives the process. */
struct kept_proofs *prove_kept_open(const char *path);
void prove_kept_close(struct kept_proofs *kept);
/* hash: 64 digits. */
bool prove_kept_has(const struct kept_proofs *kept, const char *hash);
/* Appends it to the file at once, so that a run that ends early keeps what it has proved; false
 * with errno if that fails. */
bool prove_kept_add(struct kept_proofs *kept, const char *hash, const char *name);

#endif
