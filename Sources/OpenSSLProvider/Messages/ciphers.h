/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of ciphers share. */
#ifndef KANAL_PROVIDER_CIPHERS_H
#define KANAL_PROVIDER_CIPHERS_H

#include "provider.h"

#include "cipher.h"
#include "mac.h"

/* What a cipher's parameters are in DER; without any, OpenSSL's own form: the vector. */
enum parameters_form { PARAMETERS_NONE, PARAMETERS_28147, PARAMETERS_UKM };
struct form {
    const char *name;
    enum block_kind kind;
    enum cipher_mode mode;
    /* EVP_CIPH_…_MODE. */
    unsigned int evp_mode;
    /* The key changes after so many bytes. */
    size_t section;
    enum parameters_form parameters;
    /* A text ends with its OMAC, and both are enciphered (RFC 9337, 7.3). */
    bool has_code;
    gost_sbox_name rows;
};
/* The error of a message's key that could not be opened, and the random key in its place. */
struct unopened {
    bool is_set;
    int reason;
    char text[400];
    unsigned char key[BLOCK_KEY];
};
/* A cipher as OpenSSL has it. */
struct ciphering {
    struct cipher cipher;
    const struct form *form;
    bool is_padded, has_seed;
    /* The code was made, and the message is over. */
    bool is_ended;
    /* The seed of the keys of text and code. */
    unsigned char seed[8];
    struct mac mac;
    /* Text that is kept back: it is no whole block, or may be padding or a code. */
    unsigned char kept[BLOCK_LARGEST];
    size_t kept_length;
    struct unopened unopened;
};
/* Whether text is done block by block. */
bool form_has_blocks(const struct form *form);

/* ---- ciphers.c ---- */

/* Begins a message with what is known of key, vector and seed. */
void ciphering_restart(struct ciphering *ciphering);

/* ---- unopened.c ---- */

/* Gives a random key. Returns 0 with an error. */
int unopened_give_key(struct ciphering *ciphering, OSSL_PARAM *value);
/* Whether a key to decrypt with is another than the random one in the place of a key that was not opened. Returns 0 with an error. */
int unopened_check(const struct ciphering *ciphering, const unsigned char *key);

/* ---- parameters.c ---- */

int parameters_read(struct ciphering *ciphering, const unsigned char *octets, size_t length);
/* NULL for want of memory; the caller frees it by OPENSSL_free. */
unsigned char *parameters_write(const struct ciphering *ciphering, size_t *length);

#endif
