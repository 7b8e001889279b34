/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's provider "kanal": keys and certificates of PKCS #11 tokens by pkcs11: URIs, and GOST algorithms for
 * verification.
 *
 *   provider.c     the start, the settings, and the end
 *   algorithms.c   the algorithms, by operation
 *   context.c      the library context in which the default provider computes
 *   libcrypto.c    the libcrypto that has loaded the provider, found at run time
 *   pkey.c         a key: its public half, and its private half on a token or in memory
 *   domains.c      the curves of GOST keys
 *   software.c     operations of GOST keys in memory
 *   given.c        checks of programs' lists of parameters
 *   keymgmt.c      management of keys for OpenSSL
 *   generate.c     generation of keys by a token, and of GOST keys in memory
 *   gost.c         signatures of GOST keys
 *   agree.c        key agreement and decryption by GOST keys
 *   native.c       signatures of RSA and EC keys of a token, with the default provider's parameters
 *   rsa.c, ec.c    the signatures themselves; decryption by RSA keys, agreement by EC keys
 *
 *   Messages/registered.c   GOST digests and ciphers in OpenSSL's table of numbers
 *   Messages/digests.c      digests for OpenSSL
 *   Messages/ciphers.c      ciphers of messages; parameters.c reads and writes their parameters
 *   Messages/aead.c         ciphers with authentication
 *   Messages/macs.c         authentication codes
 *   Messages/kdfs.c         derivation of keys
 *
 *   Files/store.c    objects of tokens by URIs
 *   Files/decode.c   files with GOST keys, and files that hold a URI
 *   Files/encode.c   keys as DER, PEM and text; encrypt.c encrypts them
 *   Files/pkcs8.c    GOST keys of files
 *   Files/data.c     GOST keys as lists of parameters
 *
 * Sources/GOSTKernels computes, and does not use OpenSSL. Sources/OpenSSLKeys has tokens, PINs, objects and operations
 * with private keys.
 *
 * All algorithms have the property "provider=kanal". Keys of RSA and EC have a public half in the default provider,
 * which does the work without a token, in a child of the application's library context.
 *
 * The file is never unmapped (-z nodelete): registered digests stay until the process ends.
 */
#ifndef KANAL_PROVIDER_H
#define KANAL_PROVIDER_H

#include "GOSTCiphers.h"
#include "GOSTSignatures.h"
#include "keys.h"

#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/core_object.h>
#include <openssl/evp.h>
#include <openssl/params.h>

/* For tables of functions, whose entries OpenSSL casts back. */
#define ENTRY(number, function) {number, (void (*)(void))(function)}
#define END_OF_TABLE {0, NULL}
#define PROPERTIES "provider=kanal"
/* A function that returns a list of parameters: by the provider, or by a context, too. */
#define PROVIDER_LIST(name, ...) \
    static const OSSL_PARAM *name(void *unused) { \
        static const OSSL_PARAM list[] = {__VA_ARGS__, OSSL_PARAM_END}; \
        return (void)unused, list; \
    }
#define CONTEXT_LIST(name, ...) \
    static const OSSL_PARAM *name(void *unused, void *provider) { \
        static const OSSL_PARAM list[] = {__VA_ARGS__, OSSL_PARAM_END}; \
        return (void)unused, (void)provider, list; \
    }

struct provider {
    const OSSL_CORE_HANDLE *core;
    const OSSL_DISPATCH *functions;
    /* The core's functions for reading and writing. */
    OSSL_FUNC_BIO_read_ex_fn *read;
    OSSL_FUNC_BIO_write_ex_fn *write;
    /* A child of the application's library context, made when it is needed. */
    OSSL_LIB_CTX *context;
};

/* ---- algorithms.c ---- */

OSSL_FUNC_provider_query_operation_fn algorithms_query;

/* ---- context.c ---- */

/* The child; NULL with an error. */
OSSL_LIB_CTX *provider_context(struct provider *provider);

/* ---- given.c ---- */

/* Whether a list from outside has a value where it has a length; it may be NULL. Return 0 with an error. */
int given_check(const OSSL_PARAM parameters[]);
/* The same, except for one parameter, which may have only a length. */
int given_check_but(const OSSL_PARAM parameters[], const char *except);
/* Whether there is room in a list for answers. Returns 0 with an error. */
int wanted_check(const OSSL_PARAM parameters[]);
/* A text of either type, with or without a zero byte at its end; empty without a value. Returns 0 with an error. */
int given_text(const OSSL_PARAM *value, char *text, size_t room);
enum { LONGEST_TEXT = 256, LONGEST_URI = 4096 };

/* ---- registered.c ---- */

/* Returns 0 with an error. */
int registered_add(void);

/* ---- unopened.c ---- */

/* Keeps the last error, which is a message's key's; or forgets it. */
void unopened_note(void);
void unopened_forget(void);

/* ---- digests.c, ciphers.c, aead.c, macs.c, kdfs.c ---- */

extern const OSSL_ALGORITHM digest_algorithms[], cipher_algorithms[], mac_algorithms[], kdf_algorithms[];
extern const OSSL_DISPATCH mgm_magma[], mgm_kuznyechik[];
/* Whether a name, in OpenSSL's or another form, is this digest's. */
/* Whether an output overlaps its input harmfully. It may have the same place, unless kept text puts it ahead. */
bool text_overlaps(const unsigned char *out, const unsigned char *in, size_t written, size_t length, bool is_ahead);
bool digest_is(gost_hash_name kind, const char *name);
const char *digest_name(gost_hash_name kind);

/* ---- pkey.c ---- */

struct pkey {
    int references;
    struct provider *provider;
    enum kind kind;
    /* The public half. */
    unsigned char *der;
    struct info info;
    const gost_curve_set *curve;
    EVP_PKEY *pkey;
    /* A GOST key's point, prepared when it has verified before; NULL without it. Both are for atomic operations. */
    gost_prepared_point *prepared;
    unsigned int verified;
    /* The private half: a token's key, or a GOST key's number; both NULL without one. "pkey" may have an EC key's. */
    struct key *key;
    char *uri;
    struct secret *number;
    bool has_native;
};
bool pkey_has_private(const struct pkey *pkey);
/* A key without a public half yet, which has to be of this kind. */
struct pkey *pkey_empty(struct provider *provider, enum kind kind);
/* Owns the SubjectPublicKeyInfo from now on. Return 0 or NULL with an error. */
int pkey_fill(struct pkey *pkey, unsigned char *der, size_t length);
struct pkey *pkey_new(struct provider *provider, unsigned char *der, size_t length);
/* Owns a key of the default provider from now on, which computes with it if it has a private half. Returns 0 with an error. */
int pkey_adopt(struct pkey *pkey, EVP_PKEY *made, bool has_private);
/* NULL is allowed in all three; pkey_replace() leaves the key of the place then. */
struct pkey *pkey_retain(struct pkey *pkey);
void pkey_free(struct pkey *pkey);
void pkey_replace(struct pkey **place, struct pkey *pkey);
/* The private key of a token by its object, with its public half. */
struct pkey *pkey_of_token(struct provider *provider, struct token *token, const struct object *object);
/* OpenSSL's name for a kind of keys. */
const char *pkey_name(enum kind kind);
/* OpenSSL's number of a kind of GOST keys. */
int pkey_number(enum kind kind);
size_t pkey_size(const struct pkey *pkey);
gost_hash_name pkey_hash(const struct pkey *pkey);
/* Passes a key and its reference to OpenSSL's core, or releases it. */
int pkey_give(struct pkey *pkey, OSSL_CALLBACK *callback, void *argument);

/* ---- domains.c ---- */

/* The parameter set's curve with its table, made at the first use. False if there is no memory. */
bool domain_of(const gost_curve_set *set, gost_domain *domain);

/* ---- software.c ---- */

/* For keys with a number. Return 0 with an error. */
int software_sign(const struct pkey *pkey, const unsigned char *digest, unsigned char *signature);
int software_derive(
    const struct pkey *pkey, const struct agreement *agreement, const struct pkey *peer, unsigned char *secret,
    size_t *length);
int software_decrypt(
    const struct pkey *pkey, const struct agreement *agreement, const unsigned char *data, size_t data_length,
    unsigned char *secret, size_t *length);
/*
 * A key of this number, which it owns from now on, with its public half; the digest's identifier may be empty. NULL
 * with an error.
 */
struct pkey *software_key(
    struct provider *provider, enum kind kind, const gost_curve_set *curve, struct der hash, struct secret *number);
struct pkey *software_generate(
    struct provider *provider, enum kind kind, const gost_curve_set *curve, struct der hash);

/* ---- pkcs8.c ---- */

struct pkcs8 {
    enum kind kind;
    struct der version, parameters, number, rest;
};
/* False, without an error, if it is not a GOST key. */
bool pkcs8_read(const unsigned char *octets, size_t length, struct pkcs8 *pkcs8);
/* NULL with an error that names the fault. */
struct pkey *pkcs8_key(struct provider *provider, const struct pkcs8 *pkcs8);
/* The caller frees it by OPENSSL_clear_free. NULL with an error. */
unsigned char *pkcs8_write(const struct pkey *pkey, size_t *length);

/* ---- encrypt.c ---- */

/* The encoder's context for private keys. */
struct writing {
    struct provider *provider;
    EVP_CIPHER *cipher;
};
void *writing_new(void *provider);
void writing_free(void *writing);
int writing_set(void *writing, const OSSL_PARAM parameters[]);
const OSSL_PARAM *writing_settable(void *provider);
/* EncryptedPrivateKeyInfo of a PrivateKeyInfo, which OPENSSL_free frees; NULL with an error. */
unsigned char *writing_encrypt(
    const struct writing *writing, const unsigned char *der, size_t *length, OSSL_PASSPHRASE_CALLBACK *ask, void *argument);

/* ---- data.c ---- */

int data_export(const struct pkey *pkey, int selection, OSSL_CALLBACK *callback, void *argument);
int data_import(struct pkey *pkey, int selection, const OSSL_PARAM parameters[]);
const OSSL_PARAM *data_types(int selection);

/* ---- generate.c ---- */

/* A curve by one of its names; NULL if it does not suit this kind. */
const gost_curve_set *generation_curve(enum kind kind, const char *name);
/* The digest in a key's parameters: empty for curves of RFC 9215, 4, which imply it. */
struct der generation_hash(enum kind kind, const gost_curve_set *curve);
/* Copies the parameters of a key. */
int generation_set_template(void *generation, void *key);

void *generation_begin(void *provider, int selection, const OSSL_PARAM parameters[], enum kind kind);
int generation_set(void *generation, const OSSL_PARAM parameters[]);
const OSSL_PARAM *generation_settable(void *generation, void *provider);
void *generation_run(void *generation, OSSL_CALLBACK *callback, void *argument);
void generation_end(void *generation);

/* ---- keymgmt.c, gost.c, rsa.c, ec.c, store.c, decode.c, encode.c ---- */

/*
 * OpenSSL makes contexts of keys by the first name. It is the identifier, because by the short name OpenSSL 3 would
 * find the methods of the engine gost, if that is the default, and pass them keys of this provider.
 */
#define GOST_2001_NAMES "1.2.643.2.2.19:gost2001:GOST R 34.10-2001"
#define GOST_256_NAMES "1.2.643.7.1.1.1.1:gost2012_256:GOST R 34.10-2012 with 256 bit modulus"
#define GOST_512_NAMES "1.2.643.7.1.1.1.2:gost2012_512:GOST R 34.10-2012 with 512 bit modulus"
#define RSA_NAMES "RSA:rsaEncryption:1.2.840.113549.1.1.1"
#define EC_NAMES "EC:id-ecPublicKey:1.2.840.10045.2.1"

extern const OSSL_ALGORITHM keymgmt_algorithms[], store_algorithms[], decoder_algorithms[], encoder_algorithms[];
extern const OSSL_DISPATCH gost_signature[], rsa_signature[], rsa_decryption[], ec_signature[], ec_agreement[],
    gost_agreement[], gost_decryption[];
int rsa_sign(
    const struct pkey *pkey, EVP_PKEY_CTX *parameters, const unsigned char *digest, size_t length,
    unsigned char *signature, size_t *signature_length);
int ec_sign(
    const struct pkey *pkey, const unsigned char *digest, size_t length, unsigned char *signature,
    size_t *signature_length, size_t room);
/* A file that holds a URI. */
#define URI_LABEL "PKCS#11 PROVIDER URI"
#define URI_VERSION "PKCS#11 Provider URI v1.0"
/*
 * The key that a file's URI names; NULL with an error. Files may come from strangers: they may name neither a module,
 * which is code that the process runs, nor a PIN.
 */
struct pkey *store_find(struct provider *provider, const char *uri, OSSL_PASSPHRASE_CALLBACK *ask, void *argument);

#endif
