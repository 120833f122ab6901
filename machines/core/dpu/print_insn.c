/* SPDX-License-Identifier: MIT
 * Instructions as text. */
#include "machines/core/dpu/dpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void dpu_register_name(uint32_t number, char letter, char out[5]) {
    static const char constants[8][5] = {"zero", "one", "lneg", "mneg", "id", "id2", "id4", "id8"};
    if (number >= 24 && letter != 's')
        memcpy(out, constants[number - 24], 5);
    else
        snprintf(out, 5, "%c%" PRIu32, letter, number % 32);
}

bool dpu_is_register_name(const char *name, size_t length) {
    for (uint32_t i = 0; i < 32; i++)
        for (const char *letter = "rsd"; *letter; letter++) {
            char own[5];
            dpu_register_name(i, *letter, own);
            if (strlen(own) == length && memcmp(own, name, length) == 0)
                return true;
        }
    return false;
}

static void print_register(char letter, int64_t number, struct str *out) {
    char name[5];
    dpu_register_name((uint32_t)number, letter, name);
    str_append(out, name);
}
static void print_operand(const struct dpu_operand *o, int64_t value, struct str *out) {
    switch (o->kind) {
    case DPU_REGISTER:
    case DPU_SOURCE:
    case DPU_CONSTANT:
    case DPU_NOT_ZERO:
        print_register('r', value, out);
        break;
    case DPU_SAFE:
    case DPU_SAFE_SOURCE:
        print_register('s', value, out);
        break;
    case DPU_PAIR_OF:
        print_register('d', value, out);
        break;
    case DPU_ZERO:
        str_append(out, "zero");
        break;
    case DPU_ENDIANNESS:
        str_append(out, value ? "!big" : "!little");
        break;
    case DPU_CONDITION:
        str_append(out, dpu_cc_name(o->cc, (uint32_t)value));
        break;
    case DPU_NUMBER:
        str_printf(out, "%" PRId64, value);
        break;
    }
}
void dpu_print(const struct dpu_insn *insn, struct str *out) {
    struct dpu_form f;
    dpu_form_get(insn->form, &f);
    str_append(out, f.mnemonic);
    for (uint32_t i = 0; i < f.count; i++) {
        str_append(out, i ? ", " : " ");
        print_operand(f.operands[i], insn->values[i], out);
    }
}
