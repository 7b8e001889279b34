/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's engine "kanal": keys and certificates of PKCS #11 tokens, GOST keys above all, for programs with OpenSSL.
 *
 *   engine.c       what OpenSSL calls: binding, and the end
 *   control.c      control commands, named as those of libp11's engine
 *   public.c       the public half of a key as OpenSSL's EVP_PKEY
 *   load.c         keys for OpenSSL
 *   gost.c         methods of GOST keys; what they do without the token is the engine gost's
 *   point.c        points of GOST curves
 *   rsa.c, ec.c    methods of RSA and elliptic curves
 *   certificate.c  certificates
 *
 * Tokens, PINs, objects and operations with private keys are those of Sources/OpenSSLKeys, which keys.h lists.
 *
 * The file is never unmapped (-z nodelete), because keys may outlive the engine and have functions of it.
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
    struct token *token, CK_SESSION_HANDLE session, CK_OBJECT_CLASS kind, const struct object *object);
/* A key of OpenSSL's as SubjectPublicKeyInfo, in memory that the caller frees by OPENSSL_free, and read. */
unsigned char *public_take(const EVP_PKEY *pkey, struct info *info);

/* ---- load.c ---- */

EVP_PKEY *load_private_key(ENGINE *engine, const char *text, UI_METHOD *method, void *data);
EVP_PKEY *load_public_key(ENGINE *engine, const char *text, UI_METHOD *method, void *data);

/* ---- gost.c, rsa.c, ec.c: the methods of kinds of keys ---- */

int gost_prepare(void);
int gost_methods(ENGINE *engine, EVP_PKEY_METHOD **method, const int **types, int type);
bool is_gost(int type);
/* Ties a public key to the private one of a token; takes a reference to the latter. Return 0 with an error. */
int gost_attach(ENGINE *engine, EVP_PKEY *pkey, struct key *key);
int rsa_attach(ENGINE *engine, EVP_PKEY *pkey, struct key *key);
int ec_attach(ENGINE *engine, EVP_PKEY *pkey, struct key *key);
int rsa_prepare(void);
int ec_prepare(void);
/* The token's key behind a key of the kind EC or GOST; NULL if there is none. */
struct key *ec_key(const EC_KEY *ec);
int ec_set_key(EC_KEY *ec, struct key *key);

/* ---- certificate.c, control.c ---- */

X509 *load_certificate(const char *text, const struct asking *asking);
extern const ENGINE_CMD_DEFN control_commands[];
int control(ENGINE *engine, int command, long number, void *pointer, void (*function)(void));

#endif
