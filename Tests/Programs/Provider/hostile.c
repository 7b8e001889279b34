/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostile MODE URI [NUMBER [SEED]]
 *
 * Gives the provider "kanal" changed and truncated DER, in the modes of the list at the end: public keys and certificates,
 * files with a URI, and objects of a module that changes what another one answers (changed.c). Each is read, or refused with an
 * error. Prints "good" and ends with 0, or prints the broken rule. OPENSSL_MODULES has the provider, and OPENSSL_CONF its settings.
 */
#include "context.h"

#include <openssl/decoder.h>
#include <openssl/x509.h>
#include <string.h>

static const char *uri;
static long number;
static unsigned int seed;
static OSSL_LIB_CTX *library;
static EVP_PKEY *key;

static int below(size_t limit) { return (int)((size_t)rand_r(&seed) % limit); }

/* One to three bytes differ, and every fourth input is truncated. Returns its length. */
static int change(const unsigned char *der, int length, unsigned char *changed) {
    memcpy(changed, der, (size_t)length);
    for (int count = 1 + below(3); count > 0; count--)
        changed[below((size_t)length)] = (unsigned char)rand_r(&seed);
    return below(4) == 0 ? 1 + below((size_t)length) : length;
}

/* ---- Modes ---- */

static void public_keys(void) {
    unsigned char *der = NULL, changed[1024];
    int length = i2d_PUBKEY(key, &der);

    if (length <= 0 || length > (int)sizeof changed)
        fail("no public key");
    for (long i = 0; i < number; i++) {
        const unsigned char *rest = changed;
        int size = change(der, length, changed);
        EVP_PKEY *read = d2i_PUBKEY_ex(NULL, &rest, size, library, NULL);
        if (!read && !ERR_peek_error())
            fail("a public key is refused without an error");
        if (read && EVP_PKEY_is_a(read, EVP_PKEY_get0_type_name(key)) && EVP_PKEY_eq(key, read) != 1
            && memcmp(changed, der, (size_t)length) == 0)
            fail("the same key is a different one");
        EVP_PKEY_free(read);
        ERR_clear_error();
    }
    OPENSSL_free(der);
}

static void files(void) {
    static const char valid[] = "\x30\x31\x1A\x19PKCS#11 Provider URI v1.0\x0C\x14pkcs11:object=nothin";
    unsigned char changed[sizeof valid];

    for (long i = 0; i < number; i++) {
        const unsigned char *rest = changed;
        size_t size = (size_t)change((const unsigned char *)valid, sizeof valid - 1, changed);
        EVP_PKEY *read = NULL;
        OSSL_DECODER_CTX *decoding =
            OSSL_DECODER_CTX_new_for_pkey(&read, "DER", NULL, NULL, EVP_PKEY_KEYPAIR, library, "provider=kanal");
        OSSL_DECODER_from_data(decoding, &rest, &size);
        if (!read && !ERR_peek_error())
            fail("a file is refused without an error");
        EVP_PKEY_free(read);
        OSSL_DECODER_CTX_free(decoding);
        ERR_clear_error();
    }
}

static X509 *certify(void) {
    X509 *certificate = X509_new_ex(library, NULL);
    X509_NAME *name = X509_NAME_new();

    if (!certificate || !name
        || !X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"hostile", -1, -1, 0)
        || !X509_set_version(certificate, X509_VERSION_3) || !ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1)
        || !X509_set_subject_name(certificate, name) || !X509_set_issuer_name(certificate, name)
        || !X509_gmtime_adj(X509_getm_notBefore(certificate), 0) || !X509_gmtime_adj(X509_getm_notAfter(certificate), 86400)
        || !X509_set_pubkey(certificate, key) || X509_sign(certificate, key, NULL) <= 0 || X509_verify(certificate, key) != 1)
        fail("no certificate");
    X509_NAME_free(name);
    return certificate;
}

/* The key signs one certificate. What is read of a changed one is printed and verified. */
static void certificates(void) {
    X509 *valid = certify(), *read;
    BIO *nowhere = BIO_new(BIO_s_null());
    unsigned char *der = NULL, changed[2048];
    int length = i2d_X509(valid, &der), count = 0;

    if (length <= 0 || length > (int)sizeof changed)
        fail("no certificate");
    for (long i = 0; i < number; i++) {
        const unsigned char *rest = changed;
        int size = change(der, length, changed);
        read = X509_new_ex(library, NULL);
        if (!d2i_X509(&read, &rest, size)) {
            if (!ERR_peek_error())
                fail("a certificate is refused without an error");
        } else {
            count++;
            X509_print(nowhere, read);
            ERR_clear_error();
            if (!X509_get0_pubkey(read) && !ERR_peek_error())
                fail("a certificate's key is refused without an error");
            if (X509_verify(read, key) == 1 && memcmp(changed, der, (size_t)length) != 0)
                fail("a changed certificate has a valid signature");
        }
        X509_free(read);
        ERR_clear_error();
    }
    if (number >= 100 && count == 0)
        fail("no changed certificate was read");
    BIO_free(nowhere);
    OPENSSL_free(der);
    X509_free(valid);
}

/* An object of the URI: a key, a public key or a certificate. Every second object is used. */
static bool is_found(int expected, bool is_used) {
    OSSL_STORE_CTX *store = OSSL_STORE_open_ex(uri, library, NULL, NULL, NULL, NULL, NULL, NULL);
    OSSL_STORE_INFO *info = store && OSSL_STORE_expect(store, expected) ? OSSL_STORE_load(store) : NULL;
    EVP_PKEY *read = NULL;
    X509 *certificate = NULL;

    if (info && expected == OSSL_STORE_INFO_CERT)
        certificate = OSSL_STORE_INFO_get1_CERT(info);
    else if (info)
        read = expected == OSSL_STORE_INFO_PKEY ? OSSL_STORE_INFO_get1_PKEY(info) : OSSL_STORE_INFO_get1_PUBKEY(info);
    OSSL_STORE_INFO_free(info);
    OSSL_STORE_close(store);
    if (!read && !certificate)
        return false;
    if (is_used && certificate)
        X509_verify(certificate, X509_get0_pubkey(certificate));
    if (is_used && read)
        sign(library, read);
    EVP_PKEY_free(read);
    X509_free(certificate);
    return true;
}
static void objects(void) {
    static const int kinds[] = {OSSL_STORE_INFO_PKEY, OSSL_STORE_INFO_PUBKEY, OSSL_STORE_INFO_CERT};
    long counts[2] = {0, 0};

    for (long i = 0; i < number; i++) {
        bool found = is_found(kinds[i % 3], i % 2);
        if (!found && !ERR_peek_error())
            fail(i % 3 == 0       ? "a private key is refused without an error"
                     : i % 3 == 1 ? "a public key is refused without an error"
                                  : "a certificate is refused without an error");
        counts[found]++;
        ERR_clear_error();
    }
    if (number >= 100 && (counts[0] == 0 || counts[1] == 0))
        fail("the module changes nothing, or everything");
}

static const struct {
    const char *name;
    void (*run)(void);
    bool has_key;
} modes[] = {
    {"keys", public_keys, true}, {"files", files, false}, {"certificates", certificates, true}, {"objects", objects, false}};

int main(int argc, char **argv) {
    uri = argc > 2 ? argv[2] : "";
    number = argc > 3 ? atol(argv[3]) : 10;
    seed = argc > 4 ? (unsigned int)atol(argv[4]) : 1;
    for (size_t i = 0; argc > 2 && i < sizeof modes / sizeof *modes; i++)
        if (strcmp(argv[1], modes[i].name) == 0) {
            library = begin_with_settings();
            if (modes[i].has_key && !(key = load(library, uri)))
                fail("no key");
            modes[i].run();
            EVP_PKEY_free(key);
            OSSL_LIB_CTX_free(library);
            puts("good");
            return 0;
        }
    return 2;
}
