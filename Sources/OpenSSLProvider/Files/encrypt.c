/* SPDX-License-Identifier: Apache-2.0 */
/* Encrypts private keys for files under a password, by PBES2 of libcrypto and the cipher that the program names. */
#include "provider.h"

#include <openssl/pkcs12.h>
#include <string.h>

void *writing_new(void *provider) {
    struct writing *writing = OPENSSL_zalloc(sizeof *writing);

    if (writing)
        writing->provider = provider;
    return writing;
}

void writing_free(void *context) {
    struct writing *writing = context;

    EVP_CIPHER_free(writing->cipher);
    OPENSSL_free(writing);
}

int writing_set(void *context, const OSSL_PARAM parameters[]) {
    struct writing *writing = context;
    const OSSL_PARAM *cipher = OSSL_PARAM_locate_const(parameters, OSSL_ENCODER_PARAM_CIPHER);
    const OSSL_PARAM *properties = OSSL_PARAM_locate_const(parameters, OSSL_ENCODER_PARAM_PROPERTIES);
    OSSL_LIB_CTX *library;
    char name[LONGEST_TEXT], query[LONGEST_TEXT];

    if (!given_check(parameters))
        return 0;
    if (!cipher)
        return 1;
    if (!given_text(cipher, name, sizeof name) || (properties && !given_text(properties, query, sizeof query)))
        return 0;
    EVP_CIPHER_free(writing->cipher);
    writing->cipher = NULL;
    if (!*name)
        return 1;
    library = provider_context(writing->provider);
    writing->cipher = library ? EVP_CIPHER_fetch(library, name, properties ? query : NULL) : NULL;
    return writing->cipher || FAIL(REASON_UNSUPPORTED, "no provider has the cipher %.60s", name);
}

const OSSL_PARAM *writing_settable(void *provider) {
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_utf8_string(OSSL_ENCODER_PARAM_CIPHER, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ENCODER_PARAM_PROPERTIES, NULL, 0), OSSL_PARAM_END};

    (void)provider;
    return list;
}

unsigned char *writing_encrypt(
    const struct writing *writing, const unsigned char *der, size_t *length, OSSL_PASSPHRASE_CALLBACK *ask, void *argument) {
    char password[1024];
    size_t password_length = 0;
    const unsigned char *rest = der;
    PKCS8_PRIV_KEY_INFO *plain = NULL;
    X509_SIG *encrypted = NULL;
    unsigned char *result = NULL;
    int count = 0;

    if (!ask || !ask(password, sizeof password, &password_length, NULL, argument) || password_length > sizeof password)
        FAIL(REASON_INPUT, "there is no password to encrypt the private key with");
    else if ((plain = d2i_PKCS8_PRIV_KEY_INFO(NULL, &rest, (long)*length)) != NULL)
        encrypted = PKCS8_encrypt_ex(
            -1, writing->cipher, password, (int)password_length, NULL, 0, 0, plain, writing->provider->context, NULL);
    if (encrypted)
        count = i2d_X509_SIG(encrypted, &result);
    OPENSSL_cleanse(password, sizeof password);
    PKCS8_PRIV_KEY_INFO_free(plain);
    X509_SIG_free(encrypted);
    *length = count > 0 ? (size_t)count : 0;
    return count > 0 ? result : NULL;
}
