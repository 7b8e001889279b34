/* SPDX-License-Identifier: Apache-2.0 */
/* Types and functions for the files of ciphers. */
#ifndef KANAL_PROVIDER_CIPHERS_H
#define KANAL_PROVIDER_CIPHERS_H

#include "provider.h"


/* The form of a cipher's parameters in DER; without any, OpenSSL's own form: the vector. */
enum parameters_form { PARAMETERS_NONE, PARAMETERS_28147, PARAMETERS_UKM };
struct form {
    const char *name;
    gost_cipher_name kind;
    gost_mode mode;
    /* EVP_CIPH_…_MODE. */
    unsigned int evp_mode;
    /* The key changes after so many bytes. */
    size_t section;
    enum parameters_form parameters;
    /* A text ends with its OMAC, and both are enciphered (RFC 9337, 7.3). */
    bool has_code;
    gost_sbox_name rows;
};
/* The error in opening a message's key, and the random key in its place. */
struct unopened {
    bool is_set;
    int reason;
    char text[400];
    unsigned char key[gost_key_size];
};
/* OpenSSL's context of a cipher. */
struct ciphering {
    gost_cipher cipher;
    const struct form *form;
    bool has_key, has_iv, is_padded, has_seed;
    unsigned char key[gost_key_size], iv[gost_block_largest];
    /* The code was made, and the message is over. */
    bool is_ended;
    /* The seed of the keys of text and code. */
    unsigned char seed[8];
    gost_mac mac;
    /* Text that is kept back: an incomplete block, or possible padding or code. */
    unsigned char kept[gost_block_largest];
    size_t kept_length;
    struct unopened unopened;
};

/* ---- unopened.c ---- */

/* Writes a random key. Returns 0 with an error. */
int unopened_give_key(struct ciphering *ciphering, OSSL_PARAM *value);
/* Refuses the random key in the place of a message's key that was not opened. Returns 0 with its error. */
int unopened_check(const struct ciphering *ciphering, const unsigned char *key);

/* ---- parameters.c ---- */

int parameters_read(struct ciphering *ciphering, const unsigned char *octets, size_t length);
/* NULL for want of memory; the caller frees it by OPENSSL_free. */
unsigned char *parameters_write(const struct ciphering *ciphering, size_t *length);

#endif
