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
 *   der.c          elements of DER
 *   info.c         SubjectPublicKeyInfo, read and put together
 *   public.c       the public half of a key
 *   key.c          a private key of a token, and one operation with it
 *   transport.c    what GOST keys of a token agree on and decrypt
 *   generate.c     a key pair that a token makes
 *   errors.c       OpenSSL's errors
 *   root.c         whether the root directory has changed
 *   text.c         texts for people, in which nothing commands a terminal
 *
 * tokens.h declares what knows nothing of keys, from settings.c to find.c, errors.c and text.c.
 *
 * A key has a token, and a token has sessions: one for each operation that runs at the same time, which are kept. An
 * operation takes a session, runs, and gives it back; it logs in and searches only if the sessions are gone, because
 * the process was forked or the token was away. Such an operation runs once more.
 *
 * Locks: "state" guards all lists and counts, is held for moments, and a fork waits for it, so that a child finds them
 * whole. A token's "connecting" is held while its first session is opened, which may ask the user. "state" is never
 * held while a module, OpenSSL or the user is called. A module that cannot lock has "calling", which is held during
 * each of its calls, and no other lock is taken within. "loader" is held while a library is loaded or released, and a
 * fork waits for it.
 */
#ifndef KANAL_KEYS_H
#define KANAL_KEYS_H

#include "tokens.h"

#include "../CProcess/include/CProcess.h"

#include <openssl/rsa.h>

/* What PKCS #11 2.40 lacks; the numbers are the vendor's, which rtpkcs11.h has, too. */
#define CKK_GOSTR3410_512 0xD4321003UL
#define CKK_MAGMA_TWIN_KEY 0xD4321007UL
#define CKK_KUZNYECHIK_TWIN_KEY 0xD4321006UL
#define CKM_GOSTR3410_512 0xD4321006UL
#define CKM_GOSTR3410_12_DERIVE 0xD4321007UL
#define CKM_KUZNYECHIK_KEXP_15_WRAP 0xD432102BUL
#define CKM_MAGMA_KEXP_15_WRAP 0xD432102CUL
#define CKM_GOSTR3410_512_KEY_PAIR_GEN 0xD4321005UL
#define CKM_GOST_KEG 0xD4321039UL

/* ---- der.c ---- */

/* Octets of another's memory. */
struct der {
    const unsigned char *bytes;
    size_t length;
};
/* Take the first element off, if it has this tag: its content, or the whole of it. */
bool der_take(struct der *rest, unsigned char tag, struct der *content);
bool der_take_whole(struct der *rest, unsigned char tag, struct der *element);
/* Whether an element with this tag comes first. */
bool der_has(const struct der *rest, unsigned char tag);
bool der_equal(struct der one, struct der other);
/* A number without zeros in front. */
struct der der_number(struct der octets);
/* Elements that are written from the last to the first. */
struct der_writer {
    unsigned char *memory;
    size_t room, front;
    bool is_full;
};
bool der_begin(struct der_writer *writer, size_t room);
void der_prepend(struct der_writer *writer, struct der octets);
/* Makes an element of what was written since the front was at "end". */
void der_wrap(struct der_writer *writer, unsigned char tag, size_t end);
unsigned char *der_end(struct der_writer *writer, size_t *length);

/* ---- info.c ---- */

enum kind { KIND_OTHER, KIND_RSA, KIND_EC, KIND_GOST_2001, KIND_GOST_256, KIND_GOST_512 };
/* A SubjectPublicKeyInfo; all parts are within the whole. */
struct info {
    enum kind kind;
    struct der whole, parameters, curve, hash;
    /* The point's coordinates of GOST, and otherwise what the BIT STRING has. */
    struct der key;
    struct der modulus, exponent;
};
bool is_gost_kind(enum kind kind);
/* By the identifier of an algorithm in DER, and back. */
enum kind info_kind(struct der identifier);
struct der info_identifier(enum kind kind);
/* The parameters of a GOST key: the identifiers of a curve and of a digest, which may be missing. */
bool info_read_parameters(struct der parameters, struct der *curve, struct der *hash);
/* Whether a key of GOST may name such a curve and hash function. */
bool info_has_parameters(enum kind kind, struct der curve, struct der hash);
bool info_read(const unsigned char *octets, size_t length, struct info *info);
bool info_of_certificate(const unsigned char *octets, size_t length, struct der *info);
/* Put one together, which the caller frees by OPENSSL_free; NULL if the parts cannot be one. */
unsigned char *info_gost(enum kind kind, struct der curve, struct der hash, struct der point, size_t *length);
unsigned char *info_ec(struct der curve, struct der point, size_t *length);
unsigned char *info_rsa(struct der modulus, struct der exponent, size_t *length);

/* ---- public.c ---- */

/*
 * The SubjectPublicKeyInfo that belongs to an object: a key, a private key, or a certificate. The caller frees it by
 * OPENSSL_free. NULL with an error.
 */
unsigned char *public_info(
    struct token *token, CK_SESSION_HANDLE session, CK_OBJECT_CLASS kind, const struct object *object, size_t *length);

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

/* ---- transport.c ---- */

/* What a GOST operation was told. */
struct agreement {
    unsigned char ukm[64];
    size_t ukm_length;
};
/* The length of what VKO or KEG gives, by UKM; 0 with an error. */
size_t transport_secret_size(enum kind kind, const struct agreement *agreement);
/* The coordinates of the other side's key. Return 0 with an error. */
int transport_point(const struct info *peer, enum kind kind, unsigned char point[128], size_t *length);
/* Whether coordinates are of a point of the key's curve, and of its order: a function of the engine, and one of the provider. */
bool transport_accepts(struct der curve, const unsigned char *point, size_t length);
/* "own" is the key's public half. The other side's key may be NULL where none is needed. Return 0 with an error. */
int transport_derive(
    struct key *key, const struct info *own, const struct agreement *agreement, const struct info *peer, unsigned char *secret,
    size_t *length);
int transport_decrypt(
    struct key *key, const struct info *own, const struct agreement *agreement, const struct info *peer,
    const unsigned char *data, size_t data_length, unsigned char *secret, size_t *length);
/* A transported key as it is read: of RFC 4490, 4.2, or, with KEG, of RFC 9189, 4.2.4.1. */
struct transported {
    bool has_keg;
    unsigned char point[128], ukm[32];
    size_t point_length;
    /* The rows of GOST 28147-89, an identifier in DER; without KEG alone. */
    struct der cipher;
    /* What is wrapped; without KEG the key's 32 bytes and the code's four. */
    unsigned char wrapped[48];
    size_t wrapped_length;
};
enum { TRANSPORTED_KEY = 32 };
/* Returns 0 with an error. Without an ephemeral key in it the other side's own counts. */
int transport_read(
    enum kind kind, const struct agreement *agreement, const struct info *peer, const unsigned char *data, size_t length,
    struct transported *transported);

/* ---- generate.c ---- */

struct wanted_key {
    enum kind kind;
    /* Identifiers in DER of GOST and EC; the length of RSA. */
    struct der curve, hash;
    size_t bits;
    /* It decrypts or agrees, too. */
    bool has_decryption;
};
/* The name gets an id if it has neither that nor a label. Returns 0 with an error. */
int key_generate(
    struct name *name, const struct wanted_key *key, const struct asking *asking, struct token **token,
    struct object *object);

#endif
