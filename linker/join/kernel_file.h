/* SPDX-License-Identifier: MIT
 * Files that are a kernel each, for front ends: what machines say of their forms. */
#ifndef LINKER_JOIN_KERNEL_FILE_H
#define LINKER_JOIN_KERNEL_FILE_H

#include "object/object.h"
#include "support/str.h"

/* The suffix (".pypim") number i of those that forms of kernels have; NULL behind the last. */
const char *link_kernel_suffix(size_t i);

struct kernel_file {
    const char *form;
    struct str words;      /* of 64 bits */
    uint64_t returns;      /* numbers that they return */
    struct lane_type type; /* of these */
    struct str problem;    /* after a failure; */
    uint32_t problem_line; /* 0: of no line */
};
/* Whether files of that suffix, one of these, are texts: file_settle_text. */
bool link_kernel_is_text(const char *suffix);
/* Reads a file of that suffix; *out is freed by link_kernel_file_free in any case. */
bool link_kernel_file_read(const char *suffix, const char *bytes, size_t size,
                           struct kernel_file *out);
void link_kernel_file_free(struct kernel_file *file);

/* Whether files of that suffix are texts that declare kernels (machine_form.declare). */
bool link_kernel_declares(const char *suffix);
/* The suffix of files that declare kernels of that form; NULL: there are none. */
const char *link_kernel_suffix_of(const char *form);
/* What the module of such a file is called: as the file is, without folder and suffix, if that can
 * be a name, else "file". */
const char *link_kernel_module(struct arena *arena, const char *path);
/* What such a text declares. */
struct link_declared {
    const char *form;
    struct arena arena; /* what they point to */
    /* Entries of it, as kernels, without their text; a parameter that has the name of a buffer gets
     * that. */
    VEC(struct kernel_decl) kernels;
    VEC(const char *const *) also; /* [kernels]: further names, as machine_entry.also */
    VEC(struct buffer_decl) buffers;
    struct str problem;    /* after a failure; */
    uint32_t problem_line; /* 0: of no line */
};
/* Whether bytes of a file with a suffix that declares are words, and no text. */
bool link_kernel_is_words(const char *suffix, const char *bytes, size_t size);
/* *out, zeroed before, is freed by link_declared_free in any case. */
bool link_kernel_declare(const char *suffix, const char *text, size_t size,
                         struct link_declared *out);
/* The kernel that is meant by name[0 .. n); NULL: none is, or, with that appended to *problem,
 * several are. */
const struct kernel_decl *link_declared_kernel(const struct link_declared *declared,
                                               const char *name, size_t n, struct str *problem);
void link_declared_free(struct link_declared *declared);

#endif
