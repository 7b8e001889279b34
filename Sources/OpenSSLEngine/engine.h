/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's engine "kanal": keys and certificates of PKCS #11 tokens, GOST keys above all, for programs with OpenSSL.
 *
 *   engine.c       what OpenSSL calls: binding, and the end
 *   control.c      control commands, named as those of libp11's engine
 *   settings.c     what the commands have set; one set for the process
 *   name.c         names of keys: pkcs11: URIs, and shorter ones
 *   module.c       PKCS #11 modules, their slots and tokens; forks
 *   calls.c        calls of a module: one at a time if need be, and no more believed than there is room for
 *   token.c        sessions with a token: the login, a pool, a token that was away
 *   pin.c          where a PIN comes from, and memory for it
 *   refusals.c     PINs that a token has refused
 *   object.c       objects of a token: lists, attributes, what a name may mean
 *   find.c         which token and which object a name means
 *   parameters.c   whether a public key can be a private one's: its kind and its curve
 *   public.c       the public half of a key as OpenSSL's EVP_PKEY
 *   key.c          a private key of a token, and one operation with it
 *   load.c         keys for OpenSSL
 *   gost.c         methods of GOST keys; what they do without the token is the engine gost's
 *   transport.c    what GOST keys of a token agree on and decrypt
 *   rsa.c, ec.c    methods of RSA and elliptic curves
 *   certificate.c  certificates
 *   errors.c       OpenSSL's errors
 *   text.c         texts for people, in which nothing commands a terminal
 *
 * What tokens.h declares is from settings.c to find.c; the rest is declared here.
 *
 * What lies between settings.c and load.c knows nothing of engines, only OpenSSL's errors, memory and user interface: a
 * provider would have it, too.
 *
 * A key has a token, and a token has sessions: one for each operation that runs at the same time, which are kept. An
 * operation takes a session, runs, and gives it back; it logs in and searches only if the sessions are gone, because
 * the process was forked or the token was away. Such an operation runs once more.
 *
 * Locks: "state" guards all lists and counts, is held for moments, and a fork waits for it, so that a child finds them
 * whole. A token's "connecting" is held while its first session is opened, which may ask the user. "state" is never
 * held while a module, OpenSSL or the user is called. A module that cannot lock has "calling", which is held during
 * each of its calls, and no other lock is taken within.
 *
 * The file is never unmapped (-z nodelete), because keys may outlive the engine and have functions of it.
 */
#ifndef KANAL_ENGINE_H
#define KANAL_ENGINE_H

#include "tokens.h"

#include <openssl/ec.h>
#include <openssl/engine.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

/* What PKCS #11 2.40 lacks; the numbers are the vendor's, which rtpkcs11.h has, too. */
#define CKK_GOSTR3410_512 0xD4321003UL
#define CKK_MAGMA_TWIN_KEY 0xD4321007UL
#define CKK_KUZNYECHIK_TWIN_KEY 0xD4321006UL
#define CKM_GOSTR3410_512 0xD4321006UL
#define CKM_GOSTR3410_12_DERIVE 0xD4321007UL
#define CKM_KUZNYECHIK_KEXP_15_WRAP 0xD432102BUL
#define CKM_MAGMA_KEXP_15_WRAP 0xD432102CUL
#define CKM_GOST_KEG 0xD4321039UL

/* ---- parameters.c ---- */

/* Whether a public key is of the kind that a type of keys of PKCS #11 is. */
bool has_type(const EVP_PKEY *pkey, CK_ULONG type);
/* Whether it can belong to a private key of the token, whose parameters it has to have. */
bool has_parameters(
    const EVP_PKEY *pkey, struct token *token, CK_SESSION_HANDLE session, const struct object *private_key);

/* ---- public.c ---- */

/* A public key of GOST as PKCS #11 tells it; the digest's identifier may be missing. */
struct gost_public {
    unsigned char *value, *curve, *hash;
    size_t length, curve_length, hash_length;
};
EVP_PKEY *public_gost(const struct gost_public *parts, bool is_long);
/* The coordinates of a key of GOST as PKCS #11 has them: the OCTET STRING of its SubjectPublicKeyInfo. */
bool public_point(const EVP_PKEY *pkey, unsigned char point[128], size_t *length);

/* The public key that belongs to an object: a key, a private key, or a certificate. NULL with an error. */
EVP_PKEY *public_read(
    struct token *token, CK_SESSION_HANDLE session, CK_OBJECT_CLASS kind, const struct object *object);

/* ---- key.c ---- */

struct key {
    int references;
    struct token *token;
    struct object object;
    bool always_asks;
};
struct key *key_new(struct token *token, const struct object *object, bool always_asks);
void key_retain(struct key *key);
void key_free(struct key *key);
/* A key in a session. */
struct use {
    struct key *key;
    CK_SESSION_HANDLE session;
    CK_OBJECT_HANDLE handle;
    /* What was called last, for errors. */
    const char *called;
};
/* What is done with it; its data are the caller's. */
typedef CK_RV (*key_work)(struct use *use, void *data);
/* Runs it, and once more if the session was gone. Returns 0 with an error. */
int key_perform(struct key *key, key_work work, void *data);
/* The answer of the largest key: OpenSSL uses none of more bits. */
enum { LARGEST_RSA = OPENSSL_RSA_MAX_MODULUS_BITS / 8 };
/* A signature of this length. */
int key_sign(
    struct key *key, CK_MECHANISM *mechanism, const unsigned char *data, size_t length, unsigned char *result,
    size_t result_length);
/* What there is room for, or just so much. */
int key_decrypt(
    struct key *key, CK_MECHANISM *mechanism, const unsigned char *data, size_t length, unsigned char *result,
    size_t *result_length, bool is_exact);
/* A secret of this length that the key agrees on. */
int key_derive(struct key *key, CK_MECHANISM *mechanism, unsigned char *result, size_t length);
/* Reads a secret of this length that was made in the session, and destroys its object. */
CK_RV key_read_secret(struct use *use, CK_OBJECT_HANDLE secret, unsigned char *result, size_t length);

/* ---- load.c ---- */

EVP_PKEY *load_private_key(ENGINE *engine, const char *text, UI_METHOD *method, void *data);
EVP_PKEY *load_public_key(ENGINE *engine, const char *text, UI_METHOD *method, void *data);

/* ---- gost.c, transport.c, rsa.c, ec.c: the methods of kinds of keys ---- */

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

/* What a GOST operation was told. */
struct agreement {
    unsigned char ukm[64];
    size_t ukm_length;
};
int transport_derive(
    struct key *key, int type, const struct agreement *agreement, EVP_PKEY *peer, unsigned char *secret,
    size_t *length);
int transport_decrypt(
    struct key *key, int type, const struct agreement *agreement, EVP_PKEY *peer, const unsigned char *data,
    size_t data_length, unsigned char *secret, size_t *length);

/* ---- certificate.c, control.c ---- */

X509 *load_certificate(const char *text, const struct asking *asking);
extern const ENGINE_CMD_DEFN control_commands[];
int control(ENGINE *engine, int command, long number, void *pointer, void (*function)(void));

#endif
