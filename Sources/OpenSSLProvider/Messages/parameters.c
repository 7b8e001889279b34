/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of ciphers in DER: SEQUENCE { iv, parameter set } of GOST 28147-89 (RFC 4490, 5.1), SEQUENCE { ukm } of CTR-ACPKM. */
#include "ciphers.h"

#include <string.h>

/* The first of its names. */
#define NAME(form) (int)strcspn((form)->name, ":"), (form)->name

static size_t seed_size(const struct form *form) { return form->parameters == PARAMETERS_UKM ? 8 : 0; }

int parameters_read(struct ciphering *ciphering, const unsigned char *octets, size_t length) {
    const struct form *form = ciphering->form;
    size_t size = gost_iv_size(form->kind, form->mode);
    struct der parameters = {octets, length}, sequence, iv, set;
    gost_sbox_name rows;

    if (form->parameters == PARAMETERS_NONE || !der_take(&parameters, 0x30, &sequence) || parameters.length
        || !der_take(&sequence, 0x04, &iv) || iv.length != size + seed_size(form))
        return FAIL(REASON_INPUT, "the parameters of the cipher %.*s cannot be read", NAME(form));
    if (form->parameters == PARAMETERS_28147) {
        if (!der_take_whole(&sequence, 0x06, &set) || !gost_sbox_named(set.bytes, set.length, &rows))
            return FAIL(REASON_INPUT, "the parameter set of GOST 28147-89 is not known");
        ciphering->cipher.block.rows = rows;
    }
    if (sequence.length)
        return FAIL(REASON_INPUT, "the parameters of the cipher %.*s have unknown parts", NAME(form));
    memcpy(ciphering->iv, iv.bytes, size);
    ciphering->has_iv = true;
    memcpy(ciphering->seed, iv.bytes + size, seed_size(form));
    ciphering->has_seed = seed_size(form) > 0;
    return 1;
}

unsigned char *parameters_write(const struct ciphering *ciphering, size_t *length) {
    const struct form *form = ciphering->form;
    const gost_sbox_set *rows = gost_sbox_set_at(ciphering->cipher.block.rows);
    struct der_writer writer = {0};
    size_t end;

    if (!der_begin(&writer, 64))
        return NULL;
    if (form->parameters == PARAMETERS_28147)
        der_prepend(&writer, (struct der){rows->oid, rows->oid_length});
    end = writer.front;
    der_prepend(&writer, (struct der){ciphering->seed, seed_size(form)});
    der_prepend(&writer, (struct der){ciphering->iv, gost_iv_size(form->kind, form->mode)});
    der_wrap(&writer, 0x04, end);
    der_wrap(&writer, 0x30, writer.room);
    return der_end(&writer, length);
}
