/* SPDX-License-Identifier: MIT
 * Files that appear whole or not at all. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "support/file.h"

#include "support/alloc.h"
#include "support/gzip.h"
#include "support/file_parts.h"
#include "support/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int fd, const char *data, size_t size) {
    while (size) {
        ssize_t done = write(fd, data, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        data += done;
        size -= (size_t)done;
    }
    return true;
}

static bool write_stdout(const void *data, size_t size) {
    return fflush(stdout) == 0 && write_all(STDOUT_FILENO, data, size);
}

/* Devices and pipes keep their identity: opened and written. */
static bool write_in_place(const char *path, const void *data, size_t size) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (!write_all(fd, data, size)) {
        close_quietly(fd);
        return false;
    }
    return close(fd) == 0;
}

/* How a file comes into being under a name that was free: a descriptor or 0; -1 with errno. */
typedef int make_file(void *context, const char *name);

/* Makes a file that did not exist, in path's folder; its name goes to `name`. */
static int make_beside(const char *path, struct str *name, make_file *make, void *context) {
    for (unsigned attempt = 0;; attempt++) {
        str_clear(name);
        str_append_n(name, path, folder_length(path));
        str_printf(name, ".mpu-%ld-%u.tmp", (long)getpid(), attempt);
        int made = make(context, name->text);
        if (made < 0 && errno == EEXIST && attempt < 1000)
            continue;
        if (made < 0)
            str_clear(name);
        return made;
    }
}

static int create(void *context, const char *name) {
    const mode_t *mode = context;
    return open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, *mode);
}

static int open_beside(const char *path, mode_t mode, struct str *name) {
    return make_beside(path, name, create, &mode);
}

struct output {
    const char *path;
    const void *data;
    size_t size;
    mode_t mode;          /* of a new file, before the umask */
    mode_t keep_mode;     /* of the file that is replaced, or 0 */
    bool in_place;        /* standard output, a device or a pipe */
    char *real;           /* the replaced file behind its links, or NULL */
    struct str temporary; /* the file beside it that is not renamed yet; empty: none */
};

static bool fill(int fd, const struct output *output) {
    bool ok = write_all(fd, output->data, output->size);
    if (ok && output->keep_mode)
        ok = fchmod(fd, output->keep_mode) == 0;
    if (!ok) {
        close_quietly(fd);
        return false;
    }
    return close(fd) == 0;
}

/* What the path is now: links are followed, a folder or a read-only file is refused. */
static bool resolve(struct output *output) {
    struct stat st;
    output->in_place = strcmp(output->path, "-") == 0;
    if (output->in_place || stat(output->path, &st))
        return true;
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return false;
    }
    output->in_place = !S_ISREG(st.st_mode);
    if (output->in_place)
        return true;
    if (access(output->path, W_OK))
        return false;
    if (output->mode != 0777)
        output->keep_mode = st.st_mode & 07777;
    output->real = realpath(output->path, NULL);
    output->path = output->real;
    return output->real;
}

/* Everything that can fail before the first output appears. */
static bool stage(struct output *output) {
    if (!resolve(output))
        return false;
    if (output->in_place)
        return true;
    int fd = open_beside(output->path, output->mode, &output->temporary);
    return fd >= 0 && fill(fd, output);
}

static bool appear(struct output *output) {
    if (output->in_place)
        return strcmp(output->path, "-") == 0
                   ? write_stdout(output->data, output->size)
                   : write_in_place(output->path, output->data, output->size);
    if (rename(output->temporary.text, output->path))
        return false;
    str_clear(&output->temporary);
    return true;
}

/* What is written in place may fail and cannot be taken back, so it comes before the renames. */
static bool write_outputs(struct output *list, size_t count, size_t *failed) {
    for (size_t i = 0; i < count; i++) {
        *failed = i;
        if (!stage(&list[i]))
            return false;
    }
    for (unsigned files = 0; files < 2; files++)
        for (size_t i = 0; i < count; i++) {
            *failed = i;
            if (list[i].in_place == !files && !appear(&list[i]))
                return false;
        }
    return true;
}

/* Without changing errno. */
static void release(struct output *output) {
    int saved = errno;
    if (output->temporary.len)
        unlink(output->temporary.text);
    str_free(&output->temporary);
    free(output->real);
    errno = saved;
}

static bool write_one(const char *path, const void *data, size_t size, mode_t mode) {
    struct output o = {.path = path, .data = data, .size = size, .mode = mode};
    size_t failed;
    bool ok = write_outputs(&o, 1, &failed);
    release(&o);
    return ok;
}

bool file_write(const char *path, const void *data, size_t size) {
    return write_one(path, data, size, 0666);
}

bool file_write_executable(const char *path, const void *data, size_t size) {
    return write_one(path, data, size, 0777);
}

bool file_write_all(const struct file_output *outputs, size_t count, size_t *failed) {
    struct output *list = xcalloc(count + 1, sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = (struct output){.path = outputs[i].path,
                                  .data = outputs[i].data,
                                  .size = outputs[i].size,
                                  .mode = 0666};
    bool ok = write_outputs(list, count, failed);
    for (size_t i = 0; i < count; i++)
        release(&list[i]);
    free(list);
    return ok;
}

/* ---- streams ---- */

struct file_stream {
    struct output o;
    char *path;
    FILE *over;                                                 /* where everything goes, or NULL */
    int (*write)(void *context, const void *data, size_t size); /* likewise */
    void *context;
    struct gzip *gzip; /* through which everything goes, or NULL */
    int fd;            /* else */
    bool unnamed; /* the file has no name yet: nothing of it is left whatever ends the process */
    int error;    /* errno of the first failure, or 0 */
    size_t used;
    char buffer[1 << 16];
};

/* A file without a name in path's folder; -1 where the file system or /proc has no way to give it
 * one later. */
static int open_unnamed(const char *path, mode_t mode) {
    struct str folder = {0};
    str_append_n(&folder, path, folder_length(path));
    int fd = access("/proc/self/fd", X_OK)
                 ? -1
                 : open(folder.len ? folder.text : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    str_free(&folder);
    return fd;
}

static int give_name(void *context, const char *name) {
    const int *fd = context;
    char file[64];
    snprintf(file, sizeof file, "/proc/self/fd/%d", *fd);
    return linkat(AT_FDCWD, file, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

static int open_for_stream(struct file_stream *stream) {
    if (!*stream->o.path) { /* a file without a name would be made */
        errno = ENOENT;
        return -1;
    }
    if (!resolve(&stream->o))
        return -1;
    if (stream->o.in_place)
        return open(stream->o.path, O_WRONLY | O_CLOEXEC);
    int fd = open_unnamed(stream->o.path, stream->o.mode);
    stream->unnamed = fd >= 0;
    return fd >= 0 ? fd : open_beside(stream->o.path, stream->o.mode, &stream->o.temporary);
}

static void free_stream(struct file_stream *stream) {
    gzip_free(stream->gzip);
    release(&stream->o);
    free(stream->path);
    free(stream);
}

struct file_stream *file_stream_open(const char *path) {
    if (strcmp(path, "-") == 0)
        return file_stream_over(stdout);
    struct file_stream *s = xcalloc(1, sizeof *s);
    s->path = xstrdup(path);
    s->o = (struct output){.path = s->path, .mode = 0666};
    s->fd = open_for_stream(s);
    if (s->fd >= 0)
        return s;
    int saved = errno;
    free_stream(s);
    errno = saved;
    return NULL;
}

struct file_stream *file_stream_over(FILE *f) {
    struct file_stream *s = xcalloc(1, sizeof *s);
    s->over = f;
    s->fd = -1;
    return s;
}

struct file_stream *file_stream_call(int (*write)(void *context, const void *data, size_t size),
                                     void *context) {
    struct file_stream *s = xcalloc(1, sizeof *s);
    s->write = write;
    s->context = context;
    s->fd = -1;
    return s;
}

static bool hand_out(struct file_stream *stream, const char *data, size_t size) {
    if (stream->write)
        return stream->write(stream->context, data, size) == 0;
    return stream->over ? fwrite(data, 1, size, stream->over) == size
                        : write_all(stream->fd, data, size);
}

static bool hand_out_packed(void *stream, const char *data, size_t size) {
    return hand_out(stream, data, size);
}

struct file_stream *file_stream_open_gzip(const char *path) {
    struct file_stream *s = file_stream_open(path);
    if (!s)
        return NULL;
    s->gzip = gzip_new(hand_out_packed, s);
    if (s->gzip)
        return s;
    file_stream_drop(s);
    errno = ENOMEM;
    return NULL;
}

static void put_out(struct file_stream *stream, const char *data, size_t size) {
    if (stream->error || !size)
        return;
    errno = 0;
    if (!(stream->gzip ? gzip_write(stream->gzip, data, size) : hand_out(stream, data, size)))
        stream->error = errno ? errno : EIO;
}

void file_stream_flush(struct file_stream *stream) {
    put_out(stream, stream->buffer, stream->used);
    stream->used = 0;
}

void file_stream_write(struct file_stream *stream, const void *data, size_t size) {
    if (size > sizeof stream->buffer - stream->used)
        file_stream_flush(stream);
    if (size > sizeof stream->buffer) {
        put_out(stream, data, size);
        return;
    }
    memcpy(stream->buffer + stream->used, data, size);
    stream->used += size;
}

/* The file is complete and gets its name. */
static bool complete(struct file_stream *stream) {
    if (stream->o.keep_mode && fchmod(stream->fd, stream->o.keep_mode))
        return false;
    if (stream->unnamed &&
        make_beside(stream->o.path, &stream->o.temporary, give_name, &stream->fd) < 0)
        return false;
    int fd = stream->fd;
    stream->fd = -1;
    if (close(fd))
        return false;
    if (stream->o.in_place)
        return true;
    if (rename(stream->o.temporary.text, stream->o.path))
        return false;
    str_clear(&stream->o.temporary);
    return true;
}

bool file_stream_close(struct file_stream *stream) {
    file_stream_flush(stream);
    if (!stream->error && stream->gzip && !gzip_end(stream->gzip))
        stream->error = errno ? errno : EIO;
    if (!stream->error && !stream->over && !stream->write && !complete(stream))
        stream->error = errno;
    int error = stream->error;
    file_stream_drop(stream);
    errno = error;
    return !error;
}

void file_stream_drop(struct file_stream *stream) {
    if (!stream)
        return;
    if (stream->fd >= 0)
        close_quietly(stream->fd);
    free_stream(stream);
}

bool file_write_parts(const char *path, const void *head, size_t head_size, const void *data,
                      size_t size) {
    struct file_stream *s = file_stream_open(path);
    if (!s)
        return false;
    file_stream_write(s, head, head_size);
    file_stream_write(s, data, size);
    return file_stream_close(s);
}
