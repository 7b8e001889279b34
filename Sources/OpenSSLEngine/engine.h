/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's engine "kanal": keys and certificates of PKCS #11 tokens, GOST keys above all, for programs with OpenSSL.
 *
 *   engine.c       binding, and the end
 *   control.c      control commands, with the names of libp11's engine
 *   public.c       the public half of a key as OpenSSL's EVP_PKEY
 *   load.c         keys for OpenSSL
 *   gost.c         methods of GOST keys; the engine gost does the work without the token
 *   point.c        points of GOST curves
 *   rsa.c, ec.c    methods of RSA and elliptic curves
 *   certificate.c  certificates
 *
 * Sources/OpenSSLKeys has tokens, PINs, objects and operations with private keys; keys.h lists it.
 *
 * The file is never unmapped (-z nodelete), because keys may outlive the engine and use its functions.
 */
#ifndef KANAL_ENGINE_H
#define KANAL_ENGINE_H

#include "keys.h"

#include <openssl/ec.h>
#include <openssl/engine.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

/* ---- public.c ---- */

/* The public key that belongs to an object: a key, a private key, or a certificate. NULL with an error. */
EVP_PKEY *public_read(
    struct token *token, CK_OBJECT_CLASS kind, const struct object *object, bool *always_asks);
/* The SubjectPublicKeyInfo of OpenSSL's key, in memory that the caller frees by OPENSSL_free, and its parts. */
unsigned char *public_take(const EVP_PKEY *pkey, struct info *info);

/* ---- point.c ---- */

/* Whether coordinates are of a point of a GOST curve, and of its order. */
bool point_accepts(struct der curve, const unsigned char *point, size_t length);

/* ---- load.c ---- */

EVP_PKEY *load_private_key(ENGINE *engine, const char *text, UI_METHOD *method, void *data);
EVP_PKEY *load_public_key(ENGINE *engine, const char *text, UI_METHOD *method, void *data);

/* ---- gost.c, rsa.c, ec.c: the methods of kinds of keys ---- */

int gost_prepare(void);
int gost_methods(ENGINE *engine, EVP_PKEY_METHOD **method, const int **types, int type);
bool is_gost(int type);
/* Connect a public key with the private key of a token, and hold a reference to it. Return 0 with an error. */
int gost_attach(ENGINE *engine, EVP_PKEY *pkey, struct key *key);
int rsa_attach(ENGINE *engine, EVP_PKEY *pkey, struct key *key);
int ec_attach(ENGINE *engine, EVP_PKEY *pkey, struct key *key);
int rsa_prepare(void);
int ec_prepare(void);
/* The token's key behind an EC or GOST key; NULL if it has no key of a token. */
struct key *ec_key(const EC_KEY *ec);
int ec_set_key(EC_KEY *ec, struct key *key);
/* For keys of the token as additional data of OpenSSL's structures. */
CRYPTO_EX_free key_free_data;
CRYPTO_EX_dup key_share_data;

/* ---- certificate.c, control.c ---- */

X509 *load_certificate(const char *text, const struct asking *asking);
extern const ENGINE_CMD_DEFN control_commands[];
int control(ENGINE *engine, int command, long number, void *pointer, void (*function)(void));

#endif
