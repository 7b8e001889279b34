/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GOST ciphers for OpenSSL, with the parameters of messages: RFC 4490, 5; R 1323565.1.025-2019; RFC 9337, 7.3.
 *
 * Modes of whole blocks keep an incomplete block back, and a block that may be padding. A cipher with a code appends it
 * to the text, and removes it in decryption.
 */
#include "ciphers.h"

#include <string.h>
#include <sys/random.h>

/* The names of OSSL_CIPHER_PARAM_ALGORITHM_ID_PARAMS in OpenSSL 3.0, and in 3.4 and later. */
#define OLD_PARAMETERS "alg_id_param"
#define NEW_PARAMETERS "algorithm-id-params"

/* Ciphers by their names. The sections are from R 1323565.1.025-2019 and RFC 4357. */
#define CIPHERS(entry) \
    entry(gost89, "gost89:GOST 28147-89:1.2.643.2.2.21", gost28147, CFB, 1024, PARAMETERS_28147, false, tc26_z) \
    entry(gost89_cnt, "gost89-cnt", gost28147, CNT, 1024, PARAMETERS_28147, false, cryptopro_a) \
    entry(gost89_cnt_12, "gost89-cnt-12", gost28147, CNT, 1024, PARAMETERS_28147, false, tc26_z) \
    entry(gost89_cbc, "gost89-cbc", gost28147, CBC, 0, PARAMETERS_28147, false, tc26_z) \
    entry(gost89_ecb, "gost89-ecb", gost28147, ECB, 0, PARAMETERS_NONE, false, tc26_z) \
    entry(magma_ecb, "magma-ecb", magma, ECB, 0, PARAMETERS_NONE, false, tc26_z) \
    entry(magma_cbc, "magma-cbc", magma, CBC, 0, PARAMETERS_NONE, false, tc26_z) \
    entry(magma_cfb, "magma-cfb", magma, CFB, 0, PARAMETERS_NONE, false, tc26_z) \
    entry(magma_ofb, "magma-ofb", magma, OFB, 0, PARAMETERS_NONE, false, tc26_z) \
    entry(magma_ctr, "magma-ctr", magma, CTR, 0, PARAMETERS_NONE, false, tc26_z) \
    entry(magma_acpkm, "magma-ctr-acpkm:1.2.643.7.1.1.5.1.1", magma, CTR, 8192, PARAMETERS_UKM, false, tc26_z) \
    entry(magma_omac, "magma-ctr-acpkm-omac:1.2.643.7.1.1.5.1.2", magma, CTR, 8192, PARAMETERS_UKM, true, tc26_z) \
    entry(kuznyechik_ecb, "kuznyechik-ecb", kuznyechik, ECB, 0, PARAMETERS_NONE, false, tc26_z) \
    entry(kuznyechik_cbc, "kuznyechik-cbc", kuznyechik, CBC, 0, PARAMETERS_NONE, false, tc26_z) \
    entry(kuznyechik_cfb, "kuznyechik-cfb", kuznyechik, CFB, 0, PARAMETERS_NONE, false, tc26_z) \
    entry(kuznyechik_ofb, "kuznyechik-ofb", kuznyechik, OFB, 0, PARAMETERS_NONE, false, tc26_z) \
    entry(kuznyechik_ctr, "kuznyechik-ctr", kuznyechik, CTR, 0, PARAMETERS_NONE, false, tc26_z) \
    entry(kuznyechik_acpkm, "kuznyechik-ctr-acpkm:1.2.643.7.1.1.5.2.1", kuznyechik, CTR, 256 * 1024, \
          PARAMETERS_UKM, false, tc26_z) \
    entry(kuznyechik_omac, "kuznyechik-ctr-acpkm-omac:1.2.643.7.1.1.5.2.2", kuznyechik, CTR, 256 * 1024, \
          PARAMETERS_UKM, true, tc26_z)

#define EVP_CIPH_CNT_MODE EVP_CIPH_CTR_MODE
#define MODE_ECB gost_mode_ecb
#define MODE_CBC gost_mode_cbc
#define MODE_CFB gost_mode_cfb
#define MODE_OFB gost_mode_ofb
#define MODE_CTR gost_mode_ctr
#define MODE_CNT gost_mode_cnt
#define FORM(id, names, kind, mode, section, parameters, has_code, rows) \
    static const struct form form_##id = { \
        names, gost_cipher_##kind, MODE_##mode, EVP_CIPH_##mode##_MODE, section, parameters, has_code, gost_sbox_##rows};
CIPHERS(FORM)

static bool has_blocks(const struct form *form) { return form->mode == gost_mode_ecb || form->mode == gost_mode_cbc; }

static struct ciphering *new(const struct form *form) {
    struct ciphering *ciphering = OPENSSL_zalloc(sizeof *ciphering);

    if (!ciphering)
        return NULL;
    ciphering->form = form;
    ciphering->is_padded = has_blocks(form);
    ciphering->cipher.mode = form->mode;
    ciphering->cipher.section = form->section;
    ciphering->has_iv = form->mode == gost_mode_ecb;
    gost_block_begin(gost_best_path(), &ciphering->cipher.block, form->kind);
    ciphering->cipher.block.rows = form->rows;
    return ciphering;
}

static void release(void *context) { OPENSSL_clear_free(context, sizeof(struct ciphering)); }
static void *duplicate(void *context) { return OPENSSL_memdup(context, sizeof(struct ciphering)); }

static size_t iv_size(const struct form *form) { return gost_iv_size(form->kind, form->mode); }
static size_t kind_size(const struct form *form) { return gost_block_size(form->kind); }
/* The room that OpenSSL allocates beside the text. */
static size_t room_size(const struct form *form) {
    return has_blocks(form) || form->has_code ? kind_size(form) : 1;
}

/* ---- Keys ---- */

/* Begins a message with the key, the vector and the seed that are known. */
static void restart(struct ciphering *ciphering) {
    gost_cipher *cipher = &ciphering->cipher;
    unsigned char keys[64];
    gost_block block;

    ciphering->kept_length = 0;
    ciphering->is_ended = false;
    if (!ciphering->has_key)
        return;
    memcpy(keys, ciphering->key, gost_key_size);
    if (ciphering->form->has_code && ciphering->has_seed) {
        gost_kdf_tree_keys(gost_best_path(), ciphering->key, ciphering->seed, keys);
        gost_block_begin(gost_best_path(), &block, ciphering->form->kind);
        gost_block_set_key(&block, keys + gost_key_size);
        gost_mac_begin_omac(&ciphering->mac, &block);
        OPENSSL_cleanse(&block, sizeof block);
    }
    gost_block_set_key(&cipher->block, keys);
    gost_cipher_begin(cipher, ciphering->iv);
    OPENSSL_cleanse(keys, sizeof keys);
}

/* ---- Parameters ---- */

static int set(void *context, const OSSL_PARAM parameters[]) {
    struct ciphering *ciphering = context;
    const OSSL_PARAM *value;
    const void *octets;
    size_t length;
    unsigned int padding;

    if (!parameters)
        return 1;
    if (!given_check(parameters))
        return 0;
    value = OSSL_PARAM_locate_const(parameters, NEW_PARAMETERS);
    if (!value)
        value = OSSL_PARAM_locate_const(parameters, OLD_PARAMETERS);
    if (value) {
        if (!OSSL_PARAM_get_octet_string_ptr(value, &octets, &length) || !parameters_read(ciphering, octets, length))
            return 0;
        restart(ciphering);
    }
    if ((value = OSSL_PARAM_locate_const(parameters, OSSL_CIPHER_PARAM_PADDING))) {
        if (!OSSL_PARAM_get_uint(value, &padding))
            return 0;
        ciphering->is_padded = padding && has_blocks(ciphering->form);
    }
    value = OSSL_PARAM_locate_const(parameters, OSSL_CIPHER_PARAM_KEYLEN);
    return !value || (OSSL_PARAM_get_size_t(value, &length) && length == gost_key_size);
}

static int get(void *context, OSSL_PARAM parameters[]) {
    static const char *const names[] = {OLD_PARAMETERS, NEW_PARAMETERS};
    struct ciphering *ciphering = context;
    size_t length = 0;
    unsigned char *octets;
    OSSL_PARAM *value;
    int done = 1;

    if (!wanted_check(parameters))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_KEYLEN)) && !OSSL_PARAM_set_size_t(value, gost_key_size))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_IVLEN))
        && !OSSL_PARAM_set_size_t(value, iv_size(ciphering->form)))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_PADDING))
        && !OSSL_PARAM_set_uint(value, ciphering->is_padded))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_IV))
        && !OSSL_PARAM_set_octet_string(value, ciphering->iv, iv_size(ciphering->form)))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_RANDOM_KEY)) && !unopened_give_key(ciphering, value))
        return 0;
    for (int i = 0; i < 2; i++)
        if ((value = OSSL_PARAM_locate(parameters, names[i]))) {
            octets = ciphering->form->parameters == PARAMETERS_NONE ? NULL : parameters_write(ciphering, &length);
            done = done && octets && OSSL_PARAM_set_octet_string(value, octets, length);
            OPENSSL_free(octets);
        }
    return done;
}

#define COMMON_SETTABLE OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL), OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, NULL)
#define PARAMETERS_OF_MESSAGES \
    OSSL_PARAM_octet_string(OLD_PARAMETERS, NULL, 0), OSSL_PARAM_octet_string(NEW_PARAMETERS, NULL, 0)

/* OpenSSL asks for these lists without a context, too: ciphers without parameters of messages have separate lists. */
CONTEXT_LIST(list_settable, COMMON_SETTABLE, PARAMETERS_OF_MESSAGES)
CONTEXT_LIST(list_settable_plain, COMMON_SETTABLE)
CONTEXT_LIST(
    list_gettable, COMMON_SETTABLE, OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, NULL, 0), PARAMETERS_OF_MESSAGES)
CONTEXT_LIST(
    list_gettable_plain, COMMON_SETTABLE, OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, NULL, 0))

static int describe(OSSL_PARAM parameters[], const struct form *form) {
    OSSL_PARAM *value;

    if (!wanted_check(parameters))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_MODE)) && !OSSL_PARAM_set_uint(value, form->evp_mode))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_KEYLEN)) && !OSSL_PARAM_set_size_t(value, gost_key_size))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_IVLEN)) && !OSSL_PARAM_set_size_t(value, iv_size(form)))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_HAS_RAND_KEY)) && !OSSL_PARAM_set_int(value, 1))
        return 0;
    value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_BLOCK_SIZE);
    return !value || OSSL_PARAM_set_size_t(value, room_size(form));
}

/* ---- Text ---- */

static int begin(
    struct ciphering *ciphering, const unsigned char *key, size_t key_length, const unsigned char *iv, size_t iv_length,
    const OSSL_PARAM parameters[], bool is_encryption) {
    gost_cipher *cipher = &ciphering->cipher;

    cipher->is_encryption = is_encryption;
    if (iv) {
        if (iv_length != iv_size(ciphering->form))
            return FAIL(REASON_INPUT, "the vector has %zu bytes instead of %zu", iv_length, iv_size(ciphering->form));
        memcpy(ciphering->iv, iv, iv_length);
        ciphering->has_iv = true;
    }
    if (key && key_length != gost_key_size)
        return FAIL(REASON_INPUT, "the key has %zu bytes instead of 32", key_length);
    if (key && !is_encryption && !unopened_check(ciphering, key))
        return 0;
    if (key) {
        memcpy(ciphering->key, key, gost_key_size);
        ciphering->has_key = true;
    }
    if (ciphering->form->has_code && is_encryption && !ciphering->has_seed) {
        ciphering->has_seed = getrandom(ciphering->seed, sizeof ciphering->seed, 0) == sizeof ciphering->seed;
        if (!ciphering->has_seed)
            return FAIL(REASON_INPUT, "the system provides no random numbers");
    }
    restart(ciphering);
    return set(ciphering, parameters);
}
static int begin_encrypt(
    void *context, const unsigned char *key, size_t key_length, const unsigned char *iv, size_t iv_length,
    const OSSL_PARAM parameters[]) {
    return begin(context, key, key_length, iv, iv_length, parameters, true);
}
static int begin_decrypt(
    void *context, const unsigned char *key, size_t key_length, const unsigned char *iv, size_t iv_length,
    const OSSL_PARAM parameters[]) {
    return begin(context, key, key_length, iv, iv_length, parameters, false);
}

bool text_overlaps(const unsigned char *out, const unsigned char *in, size_t written, size_t length, bool is_ahead) {
    uintptr_t to = (uintptr_t)out, from = (uintptr_t)in;

    return written > 0 && length > 0 && to < from + length && from < to + written && (to != from || is_ahead);
}

/* Whole blocks of the kept and the new text; the last block is kept if it may be padding. */
static size_t count_done(const struct ciphering *ciphering, size_t total) {
    size_t size = kind_size(ciphering->form), rest = total % size;

    if (!ciphering->cipher.is_encryption && ciphering->form->has_code)
        return total < size ? 0 : total - size;
    if (!has_blocks(ciphering->form))
        return total;
    return total - (!ciphering->cipher.is_encryption && ciphering->is_padded && rest == 0 && total > 0 ? size : rest);
}

static void keep(struct ciphering *ciphering, const unsigned char *in, size_t length) {
    memcpy(ciphering->kept + ciphering->kept_length, in, length);
    ciphering->kept_length += length;
}

static void update_blocks(struct ciphering *ciphering, unsigned char *out, size_t done, const unsigned char *in, size_t length) {
    size_t size = kind_size(ciphering->form), missing;

    if (done > 0 && ciphering->kept_length > 0) {
        missing = size - ciphering->kept_length;
        keep(ciphering, in, missing);
        gost_cipher_update(&ciphering->cipher, ciphering->kept, out, size);
        ciphering->kept_length = 0;
        in += missing;
        length -= missing;
        out += size;
        done -= size;
    }
    if (done > 0)
        gost_cipher_update(&ciphering->cipher, in, out, done);
    keep(ciphering, in + done, length - done);
}

/* The last bytes are kept, because they may be the code. The output may be in the input's place. */
static void update_coded(struct ciphering *ciphering, unsigned char *out, const unsigned char *in, size_t length) {
    unsigned char joined[gost_block_largest + 2048];
    size_t size = kind_size(ciphering->form), taken, total, done;

    for (; length > 0; in += taken, length -= taken) {
        taken = length < sizeof joined - gost_block_largest ? length : sizeof joined - gost_block_largest;
        total = ciphering->kept_length + taken;
        done = total < size ? 0 : total - size;
        memcpy(joined, ciphering->kept, ciphering->kept_length);
        memcpy(joined + ciphering->kept_length, in, taken);
        gost_cipher_update(&ciphering->cipher, joined, out, done);
        gost_mac_update(&ciphering->mac, out, done);
        out += done;
        ciphering->kept_length = 0;
        keep(ciphering, joined + done, total - done);
    }
}

static int update(
    void *context, unsigned char *out, size_t *out_length, size_t room, const unsigned char *in, size_t length) {
    struct ciphering *ciphering = context;
    bool is_ahead = has_blocks(ciphering->form) && ciphering->kept_length > 0;
    /* A negative length of EVP becomes almost all memory here. */
    size_t done = length <= PTRDIFF_MAX ? count_done(ciphering, ciphering->kept_length + length) : 0;

    if (length > PTRDIFF_MAX)
        return FAIL(REASON_INPUT, "the text is longer than memory");
    if (!ciphering->has_key || !ciphering->has_iv)
        return FAIL(REASON_INPUT, "the cipher has no key, or no vector");
    if (ciphering->form->has_code && !ciphering->has_seed)
        return FAIL(REASON_INPUT, "the cipher has no parameters with the seed of its keys");
    if (ciphering->is_ended)
        return FAIL(REASON_INPUT, "the message has ended with its code; begin another one");
    if (done > room)
        return FAIL(REASON_INPUT, "there is room for %zu bytes of %zu", room, done);
    if ((length > 0 && !in) || (done > 0 && !out) || text_overlaps(out, in, done, length, is_ahead))
        return FAIL(REASON_INPUT, "text or room is missing, or the output overlaps the rest of the input");
    *out_length = length > 0 ? done : 0;
    if (length == 0)
        return 1;
    if (has_blocks(ciphering->form)) {
        update_blocks(ciphering, out, done, in, length);
    } else if (ciphering->form->has_code && !ciphering->cipher.is_encryption) {
        update_coded(ciphering, out, in, length);
    } else {
        if (ciphering->form->has_code)
            gost_mac_update(&ciphering->mac, in, length);
        gost_cipher_update(&ciphering->cipher, in, out, length);
    }
    return 1;
}

static int end_code(struct ciphering *ciphering, unsigned char *out, size_t *length, size_t room) {
    size_t size = kind_size(ciphering->form);
    unsigned char code[gost_block_largest], sent[gost_block_largest];
    int is_right;

    if (ciphering->cipher.is_encryption) {
        if (room < size)
            return FAIL(REASON_INPUT, "there is room for %zu bytes of %zu", room, size);
        gost_mac_end(&ciphering->mac, code, size);
        gost_cipher_update(&ciphering->cipher, code, out, size);
        *length = size;
        return 1;
    }
    if (ciphering->kept_length != size)
        return FAIL(REASON_INPUT, "the message is shorter than its code");
    gost_cipher_update(&ciphering->cipher, ciphering->kept, sent, size);
    gost_mac_end(&ciphering->mac, code, size);
    is_right = CRYPTO_memcmp(code, sent, size) == 0;
    OPENSSL_cleanse(code, sizeof code);
    return is_right || FAIL(REASON_INPUT, "the message's code is wrong: the key is wrong, or the message was changed");
}

/* The length of the padding (RFC 5652, 6.3), or 0; in time that depends on its validity alone. */
static size_t padding_of(const unsigned char *block, size_t size) {
    unsigned char last = block[size - 1], bits = 0;

    for (size_t i = 0; i < size; i++) {
        unsigned char is_padding = (unsigned char)-(unsigned char)(size - i <= last);
        bits |= is_padding & (block[i] ^ last);
    }
    return last > 0 && last <= size && bits == 0 ? last : 0;
}

static int end_blocks(struct ciphering *ciphering, unsigned char *out, size_t *length, size_t room) {
    size_t size = kind_size(ciphering->form), padding;
    unsigned char block[gost_block_largest];
    bool has_text;

    if (!ciphering->is_padded)
        return ciphering->kept_length == 0 || FAIL(REASON_INPUT, "the text is not a number of whole blocks");
    if (ciphering->cipher.is_encryption) {
        if (room < size)
            return FAIL(REASON_INPUT, "there is room for %zu bytes of %zu", room, size);
        padding = size - ciphering->kept_length;
        memset(ciphering->kept + ciphering->kept_length, (int)padding, padding);
        gost_cipher_update(&ciphering->cipher, ciphering->kept, out, size);
        *length = size;
        return 1;
    }
    if (ciphering->kept_length != size)
        return FAIL(REASON_INPUT, "the text is not a number of whole blocks");
    gost_cipher_update(&ciphering->cipher, ciphering->kept, block, size);
    padding = padding_of(block, size);
    has_text = padding > 0 && size - padding <= room;
    if (has_text) {
        *length = size - padding;
        memcpy(out, block, *length);
    }
    OPENSSL_cleanse(block, sizeof block);
    return has_text || FAIL(REASON_INPUT, "the padding is wrong: the key is wrong, or the text was changed");
}

static int end(void *context, unsigned char *out, size_t *length, size_t room) {
    struct ciphering *ciphering = context;
    int done;

    *length = 0;
    if (!has_blocks(ciphering->form) && !ciphering->form->has_code)
        return 1;
    if (!ciphering->has_key || !ciphering->has_iv || (ciphering->form->has_code && !ciphering->has_seed))
        return FAIL(REASON_INPUT, "the cipher has no key, or no vector");
    if (ciphering->is_ended)
        return FAIL(REASON_INPUT, "the message has ended with its code; begin another one");
    done = ciphering->form->has_code ? end_code(ciphering, out, length, room) : end_blocks(ciphering, out, length, room);
    ciphering->is_ended = ciphering->form->has_code;
    ciphering->kept_length = 0;
    return done;
}

#define PLAIN_PARAMETERS_NONE list_gettable_plain, list_settable_plain
#define PLAIN_PARAMETERS_28147 list_gettable, list_settable
#define PLAIN_PARAMETERS_UKM list_gettable, list_settable
#define LISTS(gettable, settable) \
    ENTRY(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, gettable), ENTRY(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, settable)
#define LISTS_OF(both) LISTS(both)

#define CIPHER(id, names, kind, mode, section, parameters, has_code, rows) \
    static void *new_##id(void *provider) { return (void)provider, new(&form_##id); } \
    static int describe_##id(OSSL_PARAM list[]) { return describe(list, &form_##id); } \
    static const OSSL_DISPATCH cipher_##id[] = { \
        ENTRY(OSSL_FUNC_CIPHER_NEWCTX, new_##id), \
        ENTRY(OSSL_FUNC_CIPHER_FREECTX, release), \
        ENTRY(OSSL_FUNC_CIPHER_DUPCTX, duplicate), \
        ENTRY(OSSL_FUNC_CIPHER_ENCRYPT_INIT, begin_encrypt), \
        ENTRY(OSSL_FUNC_CIPHER_DECRYPT_INIT, begin_decrypt), \
        ENTRY(OSSL_FUNC_CIPHER_UPDATE, update), \
        ENTRY(OSSL_FUNC_CIPHER_FINAL, end), \
        ENTRY(OSSL_FUNC_CIPHER_GET_PARAMS, describe_##id), \
        ENTRY(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, get), \
        ENTRY(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, set), \
        LISTS_OF(PLAIN_##parameters), \
        END_OF_TABLE, \
    };
CIPHERS(CIPHER)

#define LISTED(id, names, kind, mode, section, parameters, has_code, rows) \
    {names, PROPERTIES, cipher_##id, "GOST cipher " #mode},
const OSSL_ALGORITHM cipher_algorithms[] = {
    CIPHERS(LISTED){"magma-mgm", PROPERTIES, mgm_magma, "Magma, MGM"},
    {"kuznyechik-mgm", PROPERTIES, mgm_kuznyechik, "Kuznyechik, MGM"},
    {NULL, NULL, NULL, NULL},
};
