/* SPDX-License-Identifier: Apache-2.0 */
/* The public half of a key as OpenSSL's EVP_PKEY, and back. */
#include "engine.h"

static EVP_PKEY *decode(const unsigned char *der, size_t length) {
    const unsigned char *rest = der;
    EVP_PKEY *pkey = d2i_PUBKEY(NULL, &rest, (long)length);

    if (pkey && rest == der + length)
        return pkey;
    EVP_PKEY_free(pkey);
    return NULL;
}

EVP_PKEY *public_read(
    struct token *token, CK_OBJECT_CLASS kind, const struct object *object, bool *always_asks) {
    size_t length;
    unsigned char *der = public_info(token, kind, object, always_asks, &length);
    EVP_PKEY *pkey;

    if (!der)
        return NULL;
    ERR_set_mark();
    pkey = decode(der, length);
    ERR_pop_to_mark();
    OPENSSL_free(der);
    if (!pkey)
        FAIL(REASON_PUBLIC, "OpenSSL does not know the public key's algorithm or curve");
    return pkey;
}

unsigned char *public_take(const EVP_PKEY *pkey, struct info *info) {
    unsigned char *der = NULL;
    int length = pkey ? i2d_PUBKEY(pkey, &der) : 0;

    if (length > 0 && info_read(der, (size_t)length, info))
        return der;
    OPENSSL_free(der);
    return NULL;
}
