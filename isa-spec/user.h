/* SPDX-License-Identifier: MIT
 * User instructions: the names that recipe files give to opcodes 0xC0 to 0xFF (docs/recipes.md,
 * "Instructions of one's own").  What an instruction does is the business of recipe/; who only
 * reads or prints text needs its name and opcode. */
#ifndef ISA_SPEC_USER_H
#define ISA_SPEC_USER_H

#include "isa-spec/isa.h"
#include "support/arena.h"
#include "support/diag.h"
#include "support/str.h"

/* A recipe file as it stands (docs/recipes.md). */
struct user_file {
    const char *name; /* as given, for messages */
    const char *text; /* [size], NUL behind it */
    size_t size;
};

#define ISA_USER_FIRST 0xC0
#define ISA_USERS      64

struct isa_user {
    const char *name; /* NULL: no file names the opcode */
    struct span at;   /* of the name */
};
struct isa_users {
    struct isa_user by_opcode[ISA_USERS];
};

/* Warns where the ISA has an instruction of the name that the program gives to `what`, "macro". */
void isa_warn_taken(struct diag *diag, struct span at, const char *what, const char *name,
                    size_t length);

/* Gives `opcode` the name text[0..length), which may be one of the ISA's.  False
 * after reporting, if diag is not NULL: an opcode that is not a user's, a name that is no mnemonic
 * or another user's, an opcode that has another name. */
bool isa_users_add(struct isa_users *users, struct arena *arena, const char *name, size_t length,
                   uint64_t opcode, struct span name_at, struct span opcode_at, struct diag *diag);
/* Adds what a recipe file declares: `instruction NAME(...) -> ... opcode N {`.  Nothing else of the
 * file is looked at.  False after reporting. */
bool isa_users_read(struct isa_users *users, struct arena *arena, uint32_t source, const char *text,
                    size_t size, struct diag *diag);

/* isa_warn_taken for each name of that source: where a text that may use it is read. */
void isa_users_warn(const struct isa_users *users, uint32_t source, struct diag *diag);

/* The instruction of a name in any case, user or not; OP_COUNT if there is none. */
enum isa_op isa_users_find(const struct isa_users *users, const char *name, size_t length);
/* How an instruction is called: by its user name if it has one. */
const char *isa_users_name(const struct isa_users *users, enum isa_op op);
/* isa_format_insn with that name; an instruction of the ISA whose name a user's has is qualified.
 */
void isa_users_format(const struct isa_users *users, const struct insn *insn, const char *symbol,
                      struct str *out);
/* The names, for did-you-mean; returns their number. */
size_t isa_users_names(const struct isa_users *users, const char *names[ISA_USERS]);

#endif
