/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's engine "kanal": keys and certificates of PKCS #11 tokens, GOST keys above all, for programs with OpenSSL.
 *
 *   engine.c       what OpenSSL calls: binding, and the end
 *   control.c      control commands, named as those of libp11's engine
 *   settings.c     what the commands have set; one set for the process
 *   name.c         names of keys: pkcs11: URIs, and shorter ones
 *   module.c       PKCS #11 modules, their slots and tokens; forks
 *   token.c        sessions with a token: the login, a pool, a token that was away
 *   pin.c          where a PIN comes from, and memory for it
 *   object.c       objects of a token: lists, attributes, what a name may mean
 *   find.c         which token and which object a name means
 *   public.c       the public half of a key as OpenSSL's EVP_PKEY
 *   key.c          a private key of a token, and one operation with it
 *   load.c         keys for OpenSSL
 *   gost.c         methods of GOST keys; what they do without the token is the engine gost's
 *   transport.c    what GOST keys of a token agree on and decrypt
 *   rsa.c, ec.c    methods of RSA and elliptic curves
 *   certificate.c  certificates
 *   errors.c       OpenSSL's errors
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
 * held while a module, OpenSSL or the user is called.
 *
 * The file is never unmapped (-z nodelete), because keys may outlive the engine and have functions of it.
 */
#ifndef KANAL_ENGINE_H
#define KANAL_ENGINE_H

#include <openssl/ec.h>
#include <openssl/engine.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/ui.h>
#include <openssl/x509.h>
#include <p11-kit/p11-kit.h>
#include <p11-kit/uri.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* What PKCS #11 2.40 lacks; the numbers are the vendor's, which rtpkcs11.h has, too. */
#define CKK_GOSTR3410_512 0xD4321003UL
#define CKK_MAGMA_TWIN_KEY 0xD4321007UL
#define CKK_KUZNYECHIK_TWIN_KEY 0xD4321006UL
#define CKM_GOSTR3410_512 0xD4321006UL
#define CKM_GOSTR3410_12_DERIVE 0xD4321007UL
#define CKM_KUZNYECHIK_KEXP_15_WRAP 0xD432102BUL
#define CKM_MAGMA_KEXP_15_WRAP 0xD432102CUL
#define CKM_GOST_KEG 0xD4321039UL

/* ---- errors.c ---- */

enum reason {
    REASON_NAME = 100,
    REASON_MODULE,
    REASON_TOKEN,
    REASON_OBJECT,
    REASON_SEVERAL,
    REASON_PIN,
    REASON_PIN_INCORRECT,
    REASON_PIN_LOCKED,
    REASON_FUNCTION,
    REASON_PUBLIC,
    REASON_GOST,
    REASON_INPUT,
    REASON_UNSUPPORTED,
    REASON_CONTROL,
    REASON_MEMORY,
};

void errors_load(void);
/* Puts an error into OpenSSL's queue, and returns 0. */
int error_put(int line, const char *file, const char *function, enum reason reason, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* The same for what a function of the module has returned. */
int error_put_code(int line, const char *file, const char *function, const char *called, CK_RV code);
#define FAIL(reason, ...) error_put(OPENSSL_LINE, OPENSSL_FILE, __func__, reason, __VA_ARGS__)
#define FAIL_CODE(called, code) error_put_code(OPENSSL_LINE, OPENSSL_FILE, __func__, called, code)
#define NO_MEMORY() FAIL(REASON_MEMORY, "no memory")

/* A growing text, which is cut off at its end. */
struct text {
    char characters[768];
    size_t length;
};
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- pin.c ---- */

struct secret {
    size_t length;
    unsigned char octets[256];
};
/* In pages that are locked and are no part of a core dump, if the system lets us. NULL if it is too long. */
struct secret *secret_new(const void *octets, size_t length);
struct secret *secret_copy(const struct secret *secret);
bool secret_equal(const struct secret *one, const struct secret *other);
void secret_free(struct secret *secret);

/* Who is asked for a PIN: the program's part in loading a key. */
struct asking {
    UI_METHOD *method;
    void *data;
};
struct name;
/* The PIN for a token, from the name, the settings or the user. Returns 0 with an error if there is none. */
int pin_find(struct secret **pin, const struct name *name, const CK_TOKEN_INFO *info, const struct asking *asking);

/* ---- settings.c ---- */

void settings_set_module(const char *path);
void settings_set_pin(struct secret *pin);
void settings_set_interface(UI_METHOD *method);
void settings_set_data(void *data);
void settings_set_verbose(int level);
void settings_set_login(bool is_forced);
bool settings_login(void);
/* Copies, which the caller frees. The path is never NULL but for want of memory. */
char *settings_module(void);
struct secret *settings_pin(void);
struct asking settings_asking(void);
/* Tells on the standard error stream what the engine does, if it shall be verbose. */
void settings_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- name.c ---- */

struct name {
    P11KitUri *uri;
    char *module;
    /* -1 for any. */
    CK_SLOT_ID slot;
    /* What an object may be called: its identifier, or its label, or one of both. */
    unsigned char id[128];
    size_t id_length;
    char *label;
    bool has_id, either;
};
/* Returns 0 with an error if the name means nothing for an object of this class. */
int name_read(struct name *name, const char *text, CK_OBJECT_CLASS wanted);
void name_free(struct name *name);

/* ---- module.c ---- */

struct module {
    struct module *next;
    char *path;
    CK_FUNCTION_LIST *functions;
    /* In this process; and by us. */
    bool is_initialised, is_ours;
    CK_INFO info;
};
struct token {
    struct token *next;
    struct module *module;
    CK_SLOT_ID slot;
    CK_TOKEN_INFO info;
    /* What the token was unlocked with, and what it has refused last. */
    struct secret *pin, *refused;
    bool has_login, has_path;
    /* Counts connections; 0 if there is none. */
    unsigned long connection, connections;
    CK_SESSION_HANDLE idle[64];
    size_t idle_count, session_count;
    pthread_mutex_t connecting;
};
enum { SLOTS = 64 };
struct found_slot {
    CK_SLOT_ID slot;
    CK_TOKEN_INFO info;
};

void state_lock(void);
void state_unlock(void);
/* Waits until something was given back; false after half a minute. To be called with the lock. */
bool state_wait(void);
void state_changed(void);
bool module_prepare_process(void);
/* A module that is initialised in this process. */
struct module *module_open(const char *path);
int module_initialise(struct module *module);
/* The slots that have a token, at most SLOTS of them; -1 with an error. */
int module_slots(struct module *module, struct found_slot *slots);
struct token *module_token(struct module *module, const struct found_slot *slot);
bool is_same_token(const CK_TOKEN_INFO *one, const CK_TOKEN_INFO *other);
/* Engines and keys. When there is none of them, sessions end and modules are finalised. */
void users_add(void);
void users_remove(void);

/* ---- token.c ---- */

/* A session, and the number of the connection that it belongs to. Returns 0 with an error. */
int token_acquire(struct token *token, CK_SESSION_HANDLE *session, unsigned long *connection);
void token_release(struct token *token, CK_SESSION_HANDLE session, unsigned long connection);
/* The session of this connection was found to be gone. */
void token_lost(struct token *token, unsigned long connection);
bool is_loss(CK_RV code);
/* Logs in, unless that is done. */
int token_login(struct token *token, const struct name *name, const struct asking *asking);
/* The PIN for an operation with a key that wants it each time. */
CK_RV token_login_again(struct token *token, CK_SESSION_HANDLE session);

/* ---- object.c ---- */

struct object {
    CK_OBJECT_HANDLE handle;
    CK_ULONG type;
    unsigned char id[128];
    size_t id_length;
    char label[128];
};
enum { OBJECTS = 512 };
/* Values of an attribute; NULL if there is none, or it is empty. The caller frees it by OPENSSL_free. */
unsigned char *object_attribute(
    struct token *token, CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE_TYPE type, size_t *length);
/* The objects of a class, in an array that the caller frees. Returns 0 with an error. */
int object_list(
    struct token *token, CK_SESSION_HANDLE session, CK_OBJECT_CLASS wanted, struct object **objects, size_t *count);
bool object_matches(const struct object *object, const struct name *name);
void object_describe(const struct object *object, struct text *text);
bool is_same_object(const struct object *one, const struct object *other);
/* ---- find.c ---- */

/*
 * The one object of a class that a name means, and its token. Returns 0 with an error that lists what there is, or, if
 * there is no such object and none is required, -1.
 */
int object_find(
    const struct name *name, CK_OBJECT_CLASS wanted, const struct asking *asking, bool is_required,
    struct token **token, struct object *object);
const char *class_name(CK_OBJECT_CLASS wanted);

/* ---- public.c ---- */

/* The public key that belongs to an object: a key, a private key, or a certificate. NULL with an error. */
EVP_PKEY *public_read(
    struct token *token, CK_SESSION_HANDLE session, CK_OBJECT_CLASS kind, const struct object *object);

/* ---- key.c ---- */

struct key {
    int references;
    struct token *token;
    struct object object;
    unsigned long connection;
    bool always_asks;
};
struct key *key_new(struct token *token, const struct object *object, bool always_asks);
void key_retain(struct key *key);
void key_free(struct key *key);
/* A key in a session. */
struct use {
    struct key *key;
    CK_FUNCTION_LIST *functions;
    CK_SESSION_HANDLE session;
    CK_OBJECT_HANDLE handle;
    /* What was called last, for errors. */
    const char *called;
};
/* What is done with it; its data are the caller's. */
typedef CK_RV (*key_work)(struct use *use, void *data);
/* Runs it, and once more if the session was gone. Returns 0 with an error. */
int key_perform(struct key *key, key_work work, void *data);
int key_sign(
    struct key *key, CK_MECHANISM *mechanism, const unsigned char *data, size_t length, unsigned char *result,
    size_t *result_length);
int key_decrypt(
    struct key *key, CK_MECHANISM *mechanism, const unsigned char *data, size_t length, unsigned char *result,
    size_t *result_length);
/* A secret of this length that the key agrees on. */
int key_derive(struct key *key, CK_MECHANISM *mechanism, unsigned char *result, size_t length);

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
