/* SPDX-License-Identifier: MIT
 * Proofs that were made before.  The key of one is the hash of its SMT file, which says all that is
 * asked: the micro-ops with the functions of the target's gates, and the contract.  Whatever
 * changes one of these asks anew. */
#ifndef RECIPE_PROVE_KEPT_H
#define RECIPE_PROVE_KEPT_H

#include <stdbool.h>
#include <stddef.h>

struct kept_proofs;

/* Reads the file; one that is not there holds nothing yet.  NULL with errno if it cannot be read.
 */
struct kept_proofs *prove_kept_open(const char *path);
void prove_kept_close(struct kept_proofs *kept);
/* hash: 64 digits. */
bool prove_kept_has(const struct kept_proofs *kept, const char *hash);
/* Appends it to the file at once, so that a run that ends early keeps what it has proved; false
 * with errno if that fails. */
bool prove_kept_add(struct kept_proofs *kept, const char *hash, const char *name);

#endif
