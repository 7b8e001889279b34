/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys and certificates of PKCS #11 tokens for OpenSSL: what its engine and its provider share. It knows OpenSSL's errors,
 * memory and user interface, and neither engines nor providers.
 *
 *   settings.c     what the program or its configuration has set; one set for the process
 *   name.c         names of keys: pkcs11: URIs, and shorter ones
 *   module.c       PKCS #11 modules, their slots and tokens; forks
 *   calls.c        calls of a module: one at a time if need be, and no more believed than there is room for
 *   token.c        sessions with a token: the login, a pool, a token that was away
 *   pin.c          where a PIN comes from, and memory for it
 *   refusals.c     PINs that a token has refused
 *   object.c       objects of a token: lists, attributes, what a name may mean
 *   find.c         which token and which object a name means
 *   key.c          a private key of a token, and one operation with it
 *   errors.c       OpenSSL's errors
 *   text.c         texts for people, in which nothing commands a terminal
 *
 * tokens.h declares all but key.c.
 *
 * A key has a token, and a token has sessions: one for each operation that runs at the same time, which are kept. An
 * operation takes a session, runs, and gives it back; it logs in and searches only if the sessions are gone, because
 * the process was forked or the token was away. Such an operation runs once more.
 *
 * Locks: "state" guards all lists and counts, is held for moments, and a fork waits for it, so that a child finds them
 * whole. A token's "connecting" is held while its first session is opened, which may ask the user. "state" is never
 * held while a module, OpenSSL or the user is called. A module that cannot lock has "calling", which is held during
 * each of its calls, and no other lock is taken within.
 */
#ifndef KANAL_KEYS_H
#define KANAL_KEYS_H

#include "tokens.h"

#include <openssl/rsa.h>

/* What PKCS #11 2.40 lacks; the numbers are the vendor's, which rtpkcs11.h has, too. */
#define CKK_GOSTR3410_512 0xD4321003UL
#define CKK_MAGMA_TWIN_KEY 0xD4321007UL
#define CKK_KUZNYECHIK_TWIN_KEY 0xD4321006UL
#define CKM_GOSTR3410_512 0xD4321006UL
#define CKM_GOSTR3410_12_DERIVE 0xD4321007UL
#define CKM_KUZNYECHIK_KEXP_15_WRAP 0xD432102BUL
#define CKM_MAGMA_KEXP_15_WRAP 0xD432102CUL
#define CKM_GOST_KEG 0xD4321039UL

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

#endif
