/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys and certificates of PKCS #11 tokens, for OpenSSL's engine and provider. The code here uses OpenSSL's errors,
 * memory and user interface, and neither engines nor providers.
 *
 *   settings.c     settings of the program and its configuration; one set for the process
 *   name.c         names of keys: pkcs11: URIs, and shorter ones
 *   module.c       PKCS #11 modules, their slots and tokens; forks
 *   calls.c        calls of a module: one at a time if need be, with all lengths checked
 *   token.c        sessions with a token: login, pool, reconnection
 *   pin.c          sources of a PIN
 *   secret.c       memory for PINs and keys
 *   refusals.c     PINs that a token has refused
 *   object.c       objects of a token: lists, attributes, names
 *   find.c         the token and the object that a name means
 *   der.c          elements of DER
 *   info.c         SubjectPublicKeyInfo
 *   public.c       the public half of a key
 *   key.c          a private key of a token, and one operation with it
 *   transport.c    key agreement and key transport by GOST keys of a token
 *   generate.c     generation of a key pair by a token
 *   errors.c       OpenSSL's errors, and notes
 *   state.c        the locks of lists and settings, and of the loader
 *   root.c         changes of the root directory
 *   text.c         texts for people, without commands to a terminal
 *
 * tokens.h declares the functions that do not use keys: those of settings.c to find.c, errors.c, secret.c, state.c and
 * text.c.
 *
 * A key has a token, and a token has a pool of sessions, with one for each concurrent operation. An operation acquires
 * a session, runs, and releases it. It logs in and searches only if the sessions are gone, because the process was
 * forked or the token was away; then it runs once more.
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

/* Missing in PKCS #11 2.40; the vendor's numbers, as in rtpkcs11.h. */
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

/* Bytes in memory of another owner. */
struct der {
    const unsigned char *bytes;
    size_t length;
};
/* Remove the first element if it has this tag, and return its content, or the whole element. */
bool der_take(struct der *rest, unsigned char tag, struct der *content);
bool der_take_whole(struct der *rest, unsigned char tag, struct der *element);
/* Whether an element with this tag comes first. */
bool der_has(const struct der *rest, unsigned char tag);
bool der_equal(struct der one, struct der other);
/* A number without zeros in front. */
struct der der_number(struct der octets);
/* A writer of elements, from the last to the first. */
struct der_writer {
    unsigned char *memory;
    size_t room, front;
    bool is_full;
};
bool der_begin(struct der_writer *writer, size_t room);
void der_prepend(struct der_writer *writer, struct der octets);
/* An INTEGER that is not negative. */
void der_prepend_number(struct der_writer *writer, struct der number);
/* Makes an element of the bytes in front of "end". */
void der_wrap(struct der_writer *writer, unsigned char tag, size_t end);
unsigned char *der_end(struct der_writer *writer, size_t *length);

/* ---- info.c ---- */

enum kind { KIND_OTHER, KIND_RSA, KIND_EC, KIND_GOST_2001, KIND_GOST_256, KIND_GOST_512 };
/* A SubjectPublicKeyInfo; all parts are within the whole. */
struct info {
    enum kind kind;
    struct der whole, parameters, curve, hash;
    /* The coordinates of a GOST point, or else the content of the BIT STRING. */
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
/* Write one, which the caller frees by OPENSSL_free; NULL if the parts do not fit. */
unsigned char *info_gost(enum kind kind, struct der curve, struct der hash, struct der point, size_t *length);
unsigned char *info_ec(struct der curve, struct der point, size_t *length);
unsigned char *info_rsa(struct der modulus, struct der exponent, size_t *length);

/* ---- public.c ---- */

/*
 * The SubjectPublicKeyInfo that belongs to an object: a key, a private key, or a certificate; and whether a private key wants
 * the PIN each time. The caller frees it by OPENSSL_free. NULL with an error.
 */
unsigned char *public_info(
    struct token *token, CK_OBJECT_CLASS kind, const struct object *object, bool *always_asks, size_t *length);
/* A certificate, in the same way. */
unsigned char *public_certificate(struct token *token, const struct object *object, size_t *length);

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
    /* The last function that was called, for errors. */
    const char *called;
};
/* An operation with a key; the caller owns its data. */
typedef CK_RV (*key_work)(struct use *use, void *data);
/* Runs an operation, and runs it once more if the session was gone. Returns 0 with an error. */
int key_perform(struct key *key, key_work work, void *data);
/* The answer of the largest key that OpenSSL uses. */
enum { LARGEST_RSA = OPENSSL_RSA_MAX_MODULUS_BITS / 8 };
/* A signature of this length. */
int key_sign(
    struct key *key, CK_MECHANISM *mechanism, const unsigned char *data, size_t length, unsigned char *result,
    size_t result_length);
/* The text may be shorter than its room, unless it "is_exact". */
int key_decrypt(
    struct key *key, CK_MECHANISM *mechanism, const unsigned char *data, size_t length, unsigned char *result,
    size_t *result_length, bool is_exact);
/* By keys of RSA, whose modulus has "size" bytes, with the padding of PKCS #1 v1.5 or without any. */
int key_sign_rsa(
    struct key *key, bool is_padded, const unsigned char *data, size_t length, unsigned char *result, size_t size);
int key_decrypt_rsa(
    struct key *key, bool is_padded, const unsigned char *data, size_t length, unsigned char *result, size_t size,
    size_t *result_length);
/* By EC keys whose coordinates have "size" bytes: r and s, and the secret. */
enum { LARGEST_COORDINATE = 66 };
int key_sign_ec(struct key *key, const unsigned char *digest, size_t length, unsigned char *numbers, size_t size);
int key_derive_ec(struct key *key, unsigned char *point, size_t point_length, unsigned char *secret, size_t size);
/* Whether the login is enough for an agreement. Returns 0 with an error. */
int key_can_agree(const struct key *key);
/* A secret of this length that the key agrees on. */
int key_derive(struct key *key, CK_MECHANISM *mechanism, unsigned char *result, size_t length);
/* Reads a secret of this length that was made in the session, and destroys its object. */
CK_RV key_read_secret(struct use *use, CK_OBJECT_HANDLE secret, unsigned char *result, size_t length);

/* ---- transport.c ---- */

/* The parameters of an agreement. */
struct agreement {
    unsigned char ukm[64];
    size_t ukm_length;
};
/* The length of the result of VKO or KEG, by the length of UKM; 0 with an error. */
size_t transport_secret_size(enum kind kind, const struct agreement *agreement);
/* The coordinates of the other side's key. Return 0 with an error. */
int transport_point(const struct info *peer, enum kind kind, unsigned char point[128], size_t *length);
/* Whether coordinates are of a point of the key's curve, and of its order. Engine and provider each have such a function. */
typedef bool (*point_check)(struct der curve, const unsigned char *point, size_t length);
/* "own" is the key's public half. The other side's key may be NULL where none is needed. Return 0 with an error. */
int transport_derive(
    struct key *key, const struct info *own, const struct agreement *agreement, const struct info *peer, point_check accepts,
    unsigned char *secret, size_t *length);
int transport_decrypt(
    struct key *key, const struct info *own, const struct agreement *agreement, const struct info *peer, point_check accepts,
    const unsigned char *data, size_t data_length, unsigned char *secret, size_t *length);
/* The parts of a transported key: RFC 4490, 4.2, or, with KEG, RFC 9189, 4.2.4.1. */
struct transported {
    bool has_keg;
    unsigned char point[128], ukm[32];
    size_t point_length;
    /* The rows of GOST 28147-89, an identifier in DER; without KEG alone. */
    struct der cipher;
    /* The wrapped key; without KEG the key's 32 bytes and the code's four. */
    unsigned char wrapped[48];
    size_t wrapped_length;
};
enum { TRANSPORTED_KEY = 32 };
/* Returns 0 with an error. If the data have no ephemeral key, the other side's own key is used. */
int transport_read(
    enum kind kind, const struct agreement *agreement, const struct info *peer, const unsigned char *data, size_t length,
    struct transported *transported);

/* ---- generate.c ---- */

struct wanted_key {
    enum kind kind;
    /* Identifiers in DER of GOST and EC; the length of RSA. */
    struct der curve, hash;
    size_t bits;
    /* The key decrypts or agrees, too. */
    bool has_decryption;
};
/* The name gets an id if it has neither that nor a label. Returns 0 with an error. */
int key_generate(
    struct name *name, const struct wanted_key *key, const struct asking *asking, struct token **token,
    struct object *object);

#endif
