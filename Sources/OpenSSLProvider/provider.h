/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's provider "kanal": keys and certificates of PKCS #11 tokens by pkcs11: URIs, and GOST algorithms for what
 * others have signed.
 *
 *   provider.c     what OpenSSL's core calls: the start, the lists of algorithms, the end
 *   libcrypto.c    the libcrypto that has loaded the provider, found at run time; libcrypto.inc lists its functions
 *   pkey.c         a key: its public half, and a private one, of the token or in memory
 *   software.c     what GOST keys in memory do
 *   given.c        lists of parameters that programs hand in
 *   keymgmt.c      keys as OpenSSL manages them
 *   generate.c     keys that a token generates, and GOST keys that are made here
 *   gost.c         signatures of GOST keys
 *   agree.c        what GOST keys agree on and decrypt
 *   native.c       signatures of RSA and EC keys of a token, with the default provider's parameters
 *   rsa.c, ec.c    the signatures themselves; decryption by RSA keys, agreement by EC keys
 *
 *   Messages/registered.c   GOST digests and ciphers where OpenSSL looks them up by number
 *   Messages/digests.c      digests for OpenSSL
 *   Messages/ciphers.c      ciphers of messages; parameters.c has their form in messages
 *   Messages/aead.c         ciphers with authentication
 *   Messages/macs.c         authentication codes
 *
 *   Files/store.c    objects of tokens by URIs
 *   Files/decode.c   files with GOST keys, and files that hold a URI
 *   Files/encode.c   keys as DER, PEM and text; encrypt.c encrypts them
 *   Files/pkcs8.c    GOST keys of files
 *   Files/data.c     GOST keys as lists of parameters
 *
 * The folder GOST computes, by Sources/GOSTKernels, and knows nothing of OpenSSL. Tokens, PINs, objects and operations with
 * private keys are those of Sources/OpenSSLKeys.
 *
 * All algorithms have the property "provider=kanal". Keys of RSA and EC have a public half in the default provider, which
 * does with it what needs no token, in a child of the application's library context.
 *
 * The file is never unmapped (-z nodelete): digests that are registered live as long as the process.
 */
#ifndef KANAL_PROVIDER_H
#define KANAL_PROVIDER_H

#include "curve.h"
#include "hash.h"
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

struct provider {
    const OSSL_CORE_HANDLE *core;
    const OSSL_DISPATCH *functions;
    /* What the core does for reading and writing. */
    OSSL_FUNC_BIO_read_ex_fn *read;
    OSSL_FUNC_BIO_write_ex_fn *write;
    /* A child of the application's library context, made when it is needed. */
    OSSL_LIB_CTX *context;
};

/* ---- provider.c ---- */

/* The child; NULL with an error. */
OSSL_LIB_CTX *provider_context(struct provider *provider);

/* ---- given.c ---- */

/* Whether a list from outside has a value where it has a length; it may be NULL. Return 0 with an error. */
int given_check(const OSSL_PARAM parameters[]);
/* The same, but for a parameter of which the length alone may be told. */
int given_check_but(const OSSL_PARAM parameters[], const char *except);
/* Whether there is room in a list for answers. Returns 0 with an error. */
int wanted_check(const OSSL_PARAM parameters[]);
/* A text, however it is given and ends, which is empty if it has no value. Returns 0 with an error. */
int given_text(const OSSL_PARAM *value, char *text, size_t room);
enum { LONGEST_TEXT = 256, LONGEST_URI = 4096 };

/* ---- registered.c ---- */

/* Returns 0 with an error. */
int registered_add(void);

/* ---- unopened.c ---- */

/* The last error is that of a message's key; or there is none. */
void unopened_note(void);
void unopened_forget(void);

/* ---- digests.c, ciphers.c, aead.c, macs.c ---- */

extern const OSSL_ALGORITHM digest_algorithms[], cipher_algorithms[], mac_algorithms[];
extern const OSSL_DISPATCH mgm_magma[], mgm_kuznyechik[];
/* Whether a name, in OpenSSL's or another form, is this digest's. */
bool digest_is(enum hash_kind kind, const char *name);
const char *digest_name(enum hash_kind kind);

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
    /* The private one: that of a token, or a GOST key's number; NULL if there is none. "pkey" may have that of an EC key. */
    struct key *key;
    char *uri;
    struct secret *number;
    bool has_native;
};
bool pkey_has_private(const struct pkey *pkey);
/* Without a public half, for one of this kind. */
struct pkey *pkey_empty(struct provider *provider, enum kind kind);
/* Takes the SubjectPublicKeyInfo. Return 0 or NULL with an error. */
int pkey_fill(struct pkey *pkey, unsigned char *der, size_t length);
struct pkey *pkey_new(struct provider *provider, unsigned char *der, size_t length);
struct pkey *pkey_retain(struct pkey *pkey);
void pkey_free(struct pkey *pkey);
/* The private key of the token that is behind an object, with its public half. */
struct pkey *pkey_of_token(struct provider *provider, struct token *token, const struct object *object);
/* OpenSSL's name for a kind of keys. */
const char *pkey_name(enum kind kind);
/* OpenSSL's number of a kind of GOST keys. */
int pkey_number(enum kind kind);
size_t pkey_size(const struct pkey *pkey);
enum hash_kind pkey_hash(const struct pkey *pkey);
/* Gives a key to OpenSSL's core, which takes the reference, or it is released. */
int pkey_give(struct pkey *pkey, OSSL_CALLBACK *callback, void *argument);

/* ---- software.c ---- */

/* For keys with a number. Return 0 with an error. */
int software_sign(const struct pkey *pkey, const unsigned char *digest, unsigned char *signature);
int software_derive(
    const struct pkey *pkey, const struct agreement *agreement, const struct pkey *peer, unsigned char *secret,
    size_t *length);
int software_decrypt(
    const struct pkey *pkey, const struct agreement *agreement, const unsigned char *data, size_t data_length,
    unsigned char *secret, size_t *length);
/* A key of this number, which it takes, with its public half; the digest's identifier may be empty. NULL with an error. */
struct pkey *software_key(
    struct provider *provider, enum kind kind, const gost_curve_set *curve, struct der hash, struct secret *number);
struct pkey *software_generate(
    struct provider *provider, enum kind kind, const gost_curve_set *curve, struct der hash);

/* ---- pkcs8.c ---- */

struct pkcs8 {
    enum kind kind;
    struct der version, parameters, number, rest;
};
/* False, without an error, for what is not a GOST key. */
bool pkcs8_read(const unsigned char *octets, size_t length, struct pkcs8 *pkcs8);
/* NULL with an error that names the fault. */
struct pkey *pkcs8_key(struct provider *provider, const struct pkcs8 *pkcs8);
/* The caller frees it by OPENSSL_clear_free. NULL with an error. */
unsigned char *pkcs8_write(const struct pkey *pkey, size_t *length);

/* ---- encrypt.c ---- */

/* How a private key is written: the encoder's context. */
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

/* A curve by one of its names; NULL if it is not one for this kind. */
const gost_curve_set *generation_curve(enum kind kind, const char *name);
/* The digest that a key on this curve names: none with curves of RFC 9215, 4, which imply it. */
struct der generation_hash(enum kind kind, const gost_curve_set *curve);
/* The parameters are those of a key. */
int generation_set_template(void *generation, void *key);

void *generation_begin(void *provider, int selection, const OSSL_PARAM parameters[], enum kind kind);
int generation_set(void *generation, const OSSL_PARAM parameters[]);
const OSSL_PARAM *generation_settable(void *generation, void *provider);
void *generation_run(void *generation, OSSL_CALLBACK *callback, void *argument);
void generation_end(void *generation);

/* ---- keymgmt.c, gost.c, rsa.c, ec.c, store.c, decode.c, encode.c ---- */

/*
 * The first name is the one that contexts of keys are made by, and it is the identifier: by the short name OpenSSL 3 would
 * find the methods of the engine gost where that is the default, and give them keys that are none of its.
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
 * The key that a file's URI names; NULL with an error. Files may come from anybody: they name neither a module, which is code
 * that the process runs, nor a PIN.
 */
struct pkey *store_find(struct provider *provider, const char *uri, OSSL_PASSPHRASE_CALLBACK *ask, void *argument);

#endif
