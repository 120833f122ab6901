/* SPDX-License-Identifier: MIT
 * Files are told apart by what the system says they are, never by how they are spelled. */
#include "support/file_use.h"

#include "support/file_parts.h"
#include "support/str.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_listed(const struct file_uses *uses, const char *path) {
    for (size_t i = 0; i < uses->list.len; i++)
        if (!uses->list.data[i].written && !uses->list.data[i].role &&
            strcmp(uses->list.data[i].path, path) == 0)
            return true;
    return false;
}

void file_uses_read(struct file_uses *uses, const char *path) {
    if (uses && !is_listed(uses, path))
        vec_push(&uses->list, ((struct file_use){.path = arena_strdup(&uses->arena, path)}));
}

void file_uses_read_options(struct file_uses *uses, const char *path) {
    vec_push(&uses->list,
             ((struct file_use){.path = arena_strdup(&uses->arena, path), .role = "@"}));
}

void file_uses_write(struct file_uses *uses, const char *path, const char *role) {
    if (!uses)
        return;
    struct file_use u = {.path = arena_strdup(&uses->arena, path), .written = true};
    u.role = role ? arena_strdup(&uses->arena, role) : NULL;
    vec_push(&uses->list, u);
}

/* What a path is: a file that is there, or a name that is free in a folder. */
struct identity {
    bool known; /* else it is neither, or a device or a pipe */
    dev_t device;
    ino_t inode;
    const char *name; /* in the folder; NULL: the file itself */
};

static bool ask(const struct file_use *use, struct stat *st) {
    if (strcmp(use->path, "-") != 0)
        return stat(use->path, st) == 0;
    return fstat(use->written ? STDOUT_FILENO : STDIN_FILENO, st) == 0;
}

static struct identity free_name(const char *path) {
    struct identity id = {0};
    struct str folder = {0};
    struct stat st;
    str_append_n(&folder, path, folder_length(path));
    if (stat(folder.len ? folder.text : ".", &st) == 0)
        id = (struct identity){true, st.st_dev, st.st_ino, path + folder.len};
    str_free(&folder);
    return id;
}

static struct identity identify(const struct file_use *use) {
    struct stat st;
    if (ask(use, &st))
        return (struct identity){S_ISREG(st.st_mode), st.st_dev, st.st_ino, NULL};
    return strcmp(use->path, "-") == 0 ? (struct identity){0} : free_name(use->path);
}

static bool is_one(const struct identity *one, const struct identity *other) {
    if (!one->known || !other->known || one->device != other->device || one->inode != other->inode)
        return false;
    return one->name && other->name ? strcmp(one->name, other->name) == 0
                                    : one->name == other->name;
}

bool file_is_same(const char *one, const char *other) {
    struct identity a = identify(&(struct file_use){.path = one, .written = true}),
                    b = identify(&(struct file_use){.path = other, .written = true});
    return is_one(&a, &b);
}

static bool is_stream(const struct file_use *use) {
    return strcmp(use->path, "-") == 0;
}

/* "the output 'x'", "--map 'x'", "standard output". */
static const char *output_text(const struct file_use *use, struct arena *arena) {
    if (is_stream(use))
        return "standard output";
    return arena_printf(arena, "%s '%s'", use->role ? use->role : "the output", use->path);
}

static void report(const struct file_use *output, const struct file_use *other, struct diag *diag) {
    struct arena arena = {0};
    const char *text = output_text(output, &arena);
    if (other->written)
        diag_error(diag, NO_SPAN, "%s and %s are the same file", output_text(other, &arena), text);
    else if (is_stream(other))
        diag_error(diag, NO_SPAN, "%s is the file that standard input comes from", text);
    else
        diag_error(diag, NO_SPAN, "%s is the input '%s', which would be lost", text, other->path);
    if (!output->role && !other->written && !is_stream(output))
        diag_note(diag, NO_SPAN, "-o FILE names another output");
    arena_free(&arena);
}

/* Whether `index` is an output that goes where another use is, before it if that is an output. */
static bool collides(const struct file_uses *uses, const struct identity *all, size_t index,
                     struct diag *diag) {
    const struct file_use *u = &uses->list.data[index];
    for (size_t i = 0; i < uses->list.len; i++) {
        const struct file_use *other = &uses->list.data[i];
        if (i == index || (other->written && (i > index || is_stream(u) || is_stream(other))))
            continue;
        if (is_one(&all[index], &all[i])) {
            report(u, other, diag);
            return true;
        }
    }
    return false;
}

bool file_uses_check(const struct file_uses *uses, struct diag *diag) {
    struct arena arena = {0};
    struct identity *all = ARENA_ARRAY(&arena, uses->list.len + 1, struct identity);
    bool fine = true;
    for (size_t i = 0; i < uses->list.len; i++)
        all[i] = identify(&uses->list.data[i]);
    for (size_t i = 0; fine && i < uses->list.len; i++)
        fine = !uses->list.data[i].written || !collides(uses, all, i, diag);
    arena_free(&arena);
    return fine;
}

void file_uses_free(struct file_uses *uses) {
    vec_free(&uses->list);
    arena_free(&uses->arena);
}
