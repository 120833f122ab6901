/* SPDX-License-Identifier: MIT
 * Whole files in, whole files out; streams that become a file at the end. */
#ifndef SUPPORT_FILE_H
#define SUPPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct str;

/* Reads a file ("-" is standard input) into fresh memory with one NUL behind it.
 * On failure returns NULL and sets errno (EISDIR for a folder, EFBIG over 4 GiB - 1). */
char *file_read(const char *path, size_t *size);

/* The most bytes that readers take (docs/limits.md): of all texts of one program together, in
 * assembly and in the languages that are compiled, of an object, a program or a record, of a target
 * file, of recipes and of a file of options. */
#define FILE_MAX_SOURCE   ((size_t)64 << 20)
#define FILE_MAX_LANGUAGE ((size_t)16 << 20)
#define FILE_MAX_OBJECT   ((size_t)256 << 20)
#define FILE_MAX_TARGET   ((size_t)4 << 20)

/* file_read of at most so many bytes: EFBIG as soon as there are more, and no more are kept. */
char *file_read_most(const char *path, size_t most, size_t *size);

/* The same of a file that another file names, for whose name nobody vouches: only a regular file is
 * read (else ENOTSUP), so that no device is read for ever and no pipe waited for; "-" is the name
 * of a file. */
char *file_read_named(const char *path, size_t most, size_t *size);

/* strerror of what these functions set errno to, in terms of what they do. */
const char *file_problem(int error);

/* file_read_most of a text, settled as file_settle_text does it: false becomes NULL. */
char *file_read_text(const char *path, size_t most, size_t *size);
/* Likewise file_read_named. */
char *file_read_named_text(const char *path, size_t most, size_t *size);
/* Makes of text[0..*size), behind which there is room for a NUL, what all readers of texts expect:
 * takes a byte order mark (UTF-8) off its head, and makes LF of each CR and CR LF.  False with
 * EILSEQ for a text in UTF-16. */
bool file_settle_text(char *text, size_t *size);
/* The bytes of a byte order mark (UTF-8) at the head of text[0..size), 0 or 3. */
size_t file_mark(const char *text, size_t size);
/* Whether a text is in UTF-16, by its mark or by the zeros of its first two letters. */
bool file_is_utf16(const char *text, size_t size);

/* A file's bytes where they lie: mapped, so that none is copied, if it is a large file of its own;
 * read if it is small, a pipe, a device or "-".  They are not to be written.  Behind a mapped file
 * that somebody makes shorter meanwhile there is nothing: reading what is gone raises SIGBUS. */
struct file_view {
    char *bytes; /* NULL: none */
    size_t size;
    bool mapped;
};
/* False with errno set, as file_read. */
bool file_view_open(const char *path, struct file_view *file_view);
/* Any number of times. */
void file_view_close(struct file_view *view);

/* Where one file names others: file_read_named beside `from` (a path, "" for the working folder),
 * then in each of the folders in turn.  *name is how it was found, or last looked for; to be freed.
 * NULL with errno set. */
char *file_read_beside(const char *path, const char *from, const char *const *folders, size_t count,
                       size_t most, char **name, size_t *size);

/* What a file is called by, however it is spelled: its device and inode; the path itself if there
 * is no such file. */
void file_identity(const char *path, struct str *identity);

/* Length of the first piece of a list of names and paths with commas between them: up to the first
 * comma, but where text up to a later one, or to the end, is the path of a file, that path. */
size_t file_list_piece(const char *list);

/* Writes data to path ("-" is standard output) so that the file appears whole or not at all:
 * to a fresh file beside it, then renamed; the old file's mode is kept, devices and pipes are
 * written directly.  False with errno set. */
bool file_write(const char *path, const void *data, size_t size);
/* file_write with mode 0777 less the umask. */
bool file_write_executable(const char *path, const void *data, size_t size);

/* The same of two parts, one behind the other. */
bool file_write_parts(const char *path, const void *head, size_t head_size, const void *data,
                      size_t size);

struct file_output {
    const char *path; /* "-" is standard output */
    const void *data;
    size_t size;
};
/* Several outputs, each as file_write does it, all or none: no file appears before all of them
 * are written beside their places.  False with errno set and the index of the one that failed. */
bool file_write_all(const struct file_output *outputs, size_t count, size_t *failed);

/* An output that is written piece by piece, through a buffer, and appears whole at the end or not
 * at all.  Devices, pipes and "-" (standard output) get everything as it comes. */
struct file_stream;
/* NULL with errno set when the file could not be written. */
struct file_stream *file_stream_open(const char *path);
/* The same, packed (support/gzip.h). */
struct file_stream *file_stream_open_gzip(const char *path);
/* Into a file that is open and stays so, as it comes. */
struct file_stream *file_stream_over(FILE *f);
/* To a function, as it comes, which returns 0, or something else with errno set. */
struct file_stream *file_stream_call(int (*write)(void *context, const void *data, size_t size),
                                     void *context);
/* Behind a failure nothing more is written; file_stream_close tells. */
void file_stream_write(struct file_stream *stream, const void *data, size_t size);
void file_stream_flush(struct file_stream *stream);
/* The file appears; the stream is released either way.  False with errno set if any of it could
 * not be written. */
bool file_stream_close(struct file_stream *stream);
/* Nothing appears.  NULL is allowed. */
void file_stream_drop(struct file_stream *stream);

/* What a file seems to be by its first bytes, for messages: "a NumPy array", "a picture", "an ELF
 * file", "an empty file", "a binary file" or "text". */
const char *file_kind(const void *data, size_t size);

/* SHA-256 as 64 lower-case hex digits and NUL. */
void sha256_hex(const void *data, size_t size, char hex[65]);

#endif
