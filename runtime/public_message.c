/* SPDX-License-Identifier: MIT
 * One message as the consumer of a sink sees it. */
#include "runtime/public.h"
#include "runtime/public_message.h"

#include "support/alloc.h"
#include "support/diag_place.h"
#include "support/str.h"

#include <stdlib.h>
#include <string.h>

struct mpu_message {
    const struct diag *d;
    const struct message *m;
    const struct mpu_message *notes; /* [m->note_count] */
};

void public_message_tell(mpu_message_function *consumer, void *context, const struct diag *diag,
                         const struct message *m) {
    struct mpu_message *notes = xcalloc(m->note_count + 1, sizeof *notes);
    for (size_t i = 0; i < m->note_count; i++)
        notes[i] = (struct mpu_message){diag, &m->notes[i], NULL};
    const struct mpu_message message = {diag, m, notes};
    consumer(context, &message);
    free(notes);
}

mpu_severity mpu_message_severity(const mpu_message *message) {
    static const mpu_severity severities[] = {
        [SEVERITY_NOTE] = MPU_NOTE, [SEVERITY_WARNING] = MPU_WARNING, [SEVERITY_ERROR] = MPU_ERROR};
    return severities[message->m->severity];
}

const char *mpu_message_text(const mpu_message *message) {
    return message->m->text;
}

const char *mpu_message_warning(const mpu_message *message) {
    return message->m->warning >= 0 ? diag_warning_table[message->m->warning].name : NULL;
}

const char *mpu_message_file(const mpu_message *message) {
    return diag_place(message->d, message->m->at).name;
}

uint32_t mpu_message_line(const mpu_message *message) {
    return diag_place(message->d, message->m->at).line;
}

uint32_t mpu_message_column(const mpu_message *message) {
    return diag_place(message->d, message->m->at).column;
}

size_t mpu_message_note_count(const mpu_message *message) {
    return message->m->note_count;
}

const mpu_message *mpu_message_note(const mpu_message *message, size_t index) {
    return &message->notes[index];
}

char *mpu_message_format(const mpu_message *message, const char *form, const char *prefix) {
    PUBLIC_ENTRY(NULL, NULL);
    const struct diag_printer how = {.format = strcmp(form, "json") == 0 ? DIAG_JSON : DIAG_TEXT,
                                     .color = strcmp(form, "color") == 0,
                                     .prefix = prefix};
    struct str s = {0};
    diag_format(&how, message->d, message->m, &s);
    return s.text;
}
