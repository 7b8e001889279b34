/* SPDX-License-Identifier: Apache-2.0 */
/* Modules, tokens and their objects, PINs, settings and errors: all that does not use keys of OpenSSL. */
#ifndef KANAL_TOKENS_H
#define KANAL_TOKENS_H

#include <openssl/err.h>
#include <openssl/ui.h>
#include <p11-kit/p11-kit.h>
#include <p11-kit/uri.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
/* The same for the return value of a module's function. */
int error_put_code(int line, const char *file, const char *function, const char *called, CK_RV code);
#define FAIL(reason, ...) error_put(OPENSSL_LINE, OPENSSL_FILE, __func__, reason, __VA_ARGS__)
#define FAIL_CODE(called, code) error_put_code(OPENSSL_LINE, OPENSSL_FILE, __func__, called, code)
#define NO_MEMORY() FAIL(REASON_MEMORY, "no memory")

/* Whether the session, the token or the module is gone. */
bool is_loss(CK_RV code);
/* A line on the standard error stream, if the level is above 0; a negative level adds one to it. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void note_set_verbose(int level);

/* ---- text.c ---- */

/* A growing text, which is cut off when it is full. */
struct text {
    char characters[768];
    size_t length;
};
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_list(struct text *text, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
/* Adds a text of unknown origin for a terminal; used for errors, notes and questions. */
void text_add_printable(struct text *text, const char *other);

/* ---- state.c ---- */

/* For loading and releasing libraries, which a fork waits for. */
void loader_lock(void);
void loader_unlock(void);
void state_lock(void);
void state_unlock(void);
/* Waits for state_changed(); false after half a minute. To be called with the lock. */
bool state_wait(void);
void state_changed(void);
/* In a forked child, at the end of its handler. */
void state_renew(void);

/* ---- secret.c ---- */

struct secret {
    size_t length;
    unsigned char octets[256];
};
/* In locked pages, which a core dump leaves out, if the system allows it. NULL if it is too long. */
struct secret *secret_new(const void *octets, size_t length);
struct secret *secret_copy(const struct secret *secret);
bool secret_equal(const struct secret *one, const struct secret *other);
void secret_free(struct secret *secret);
/* Locks its memory again, since a fork leaves it unlocked in the child. */
void secret_lock(struct secret *secret);

/* ---- pin.c ---- */

/* The program's interface for asking the user for a PIN. */
struct asking {
    UI_METHOD *method;
    void *data;
    /* In place of a user interface: writes a text of the returned length, or returns 0. */
    size_t (*answer)(void *data, const char *prompt, char *buffer, size_t room);
};
struct name;
/* A token, for which a PIN is wanted. */
struct wanted_token {
    const struct name *name;
    CK_TOKEN_INFO info;
    /* No other token in the readers has a PIN. */
    bool is_only;
};
/* The PIN for a token, from the name, the settings or the user. Returns 0 with an error without a PIN. */
int pin_find(struct secret **pin, const struct wanted_token *token, const struct asking *asking);

/* ---- refusals.c ---- */

struct refusals;
struct refusals *refusals_new(void);
void refusals_free(struct refusals *refusals);
/* Held while a PIN is presented, by one thread of all processes that share the memory, for a bounded time. */
uint64_t refusals_lock(struct refusals *refusals, bool is_asking);
void refusals_unlock(struct refusals *refusals, uint64_t held);
/* NULL is the token's own authentication. */
bool refusals_have(const struct refusals *refusals, const struct secret *pin);
void refusals_add(struct refusals *refusals, const struct secret *pin);
void refusals_forget_path(struct refusals *refusals);

/* ---- settings.c ---- */

void settings_set_module(const char *path);
void settings_set_pin(struct secret *pin);
/* Forgets the PIN and its token, with the lock: the PIN, which the caller frees. */
struct secret *settings_forget_pin(void);
/* The serial number of the token that the PIN is for; empty for none. Returns 0 with an error. */
int settings_set_serial(const char *serial);
enum serial { SERIAL_NONE, SERIAL_SAME, SERIAL_OTHER };
enum serial settings_serial(const CK_TOKEN_INFO *info);
void settings_set_interface(UI_METHOD *method);
void settings_set_data(void *data);
void settings_set_login(bool is_forced);
bool settings_login(void);
/* Copies, which the caller frees. The path is NULL only without memory. */
char *settings_module(void);
struct secret *settings_pin(void);
/* In a forked child. */
void settings_lock_pin(void);
struct asking settings_asking(void);

/* ---- name.c ---- */

struct name {
    P11KitUri *uri;
    char *module;
    /* -1 for any. */
    CK_SLOT_ID slot;
    /* The identifier of an object, or its label, or either. */
    unsigned char *id;
    size_t id_length;
    char *label;
    size_t label_length;
    bool has_id, either;
    /* The name comes from a file, which a stranger may have written, and not from the program. */
    bool is_of_file;
};
/* Returns 0 with an error if the name does not fit this class. */
int name_read(struct name *name, const char *text, CK_OBJECT_CLASS wanted);
/* The same for a name in a file, which may have neither a PIN nor a module. */
int name_read_of_file(struct name *name, const char *text, CK_OBJECT_CLASS wanted);
/* Whether a URI has a PIN or its source: then any class of objects unlocks the token. */
bool name_has_pin(const struct name *name);
void name_free(struct name *name);

/* ---- module.c ---- */

struct module {
    struct module *next;
    char *path;
    CK_FUNCTION_LIST *functions;
    /* In this process; and by us. */
    bool is_initialised, is_ours, has_info;
    /* Only the thread that holds "calling" may call it. It stays so. */
    bool is_serial;
    pthread_mutex_t calling;
    CK_INFO info;
};
struct token {
    struct token *next;
    struct module *module;
    CK_SLOT_ID slot;
    CK_TOKEN_INFO info;
    /* The PIN that the token has accepted, and its refusals. */
    struct secret *pin;
    struct refusals *refusals;
    bool has_login, has_path;
    /* The number of the connection; 0 while unconnected. */
    unsigned long connection, connections;
    CK_SESSION_HANDLE idle[64];
    size_t idle_count, session_count;
    pthread_mutex_t connecting;
};
struct found_slot {
    CK_SLOT_ID slot;
    CK_TOKEN_INFO info;
};

bool module_prepare_process(void);
/* A module that is initialised in this process. */
struct module *module_open(const char *path);
int module_initialise(struct module *module);
/* The slots that have a token, in an array that the caller frees by OPENSSL_free; -1 with an error. */
int module_slots(struct module *module, struct found_slot **slots);
struct token *module_token(struct module *module, const struct found_slot *slot);
bool is_same_token(const CK_TOKEN_INFO *one, const CK_TOKEN_INFO *other);
/* Engines and keys. After the last, sessions end and modules are finalised. */
void users_add(void);
void users_remove(void);

/* ---- calls.c ---- */

/* A call of a module, as in CALL(module, C_CloseSession, session). */
#define CALL(owner, function, ...) \
    __extension__({ \
        struct module *called_module = (owner); \
        bool called_alone = call_begin(called_module); \
        CK_RV called_code = called_module->functions->function(__VA_ARGS__); \
        call_end(called_module, called_alone); \
        called_code; \
    })
bool call_begin(struct module *module);
void call_end(struct module *module, bool is_alone);
/* C_Initialize, for use by several threads. */
CK_RV call_initialise(struct module *module);
/*
 * All calls whose results have a length or a number that the module reports. The last argument has the room, and gets
 * the length or the number.
 */
CK_RV call_slots(struct module *module, CK_SLOT_ID *slots, CK_ULONG *count);
CK_RV call_objects(struct module *module, CK_SESSION_HANDLE session, CK_OBJECT_HANDLE *objects, CK_ULONG *count);
/*
 * Reads attributes of an object. A value that was not read has the length CK_UNAVAILABLE_INFORMATION. Without a buffer the
 * length of the value is returned, which is at most LARGEST_VALUE.
 */
enum { MOST_ATTRIBUTES = 4 };
CK_RV call_attributes(
    struct module *module, CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *attributes, CK_ULONG count);
CK_RV call_sign(
    struct module *module, CK_SESSION_HANDLE session, const unsigned char *data, size_t length, unsigned char *result,
    CK_ULONG *result_length);
CK_RV call_decrypt(
    struct module *module, CK_SESSION_HANDLE session, const unsigned char *data, size_t length, unsigned char *result,
    CK_ULONG *result_length);
enum { LARGEST_VALUE = 1 << 16, LARGEST_LIST = 1 << 16 };
/* In place of a module's code: the reported length is above the room, or is not the only possible one. */
#define CODE_TOO_LONG (CKR_VENDOR_DEFINED | 0x4B414E43UL)
#define CODE_OTHER_LENGTH (CKR_VENDOR_DEFINED | 0x4B414E44UL)

/* ---- token.c ---- */

/* A session, and the number of the connection that it belongs to. Returns 0 with an error. */
int token_acquire(struct token *token, CK_SESSION_HANDLE *session, unsigned long *connection);
void token_release(struct token *token, CK_SESSION_HANDLE session, unsigned long connection);
/* The session of this connection was found to be gone. */
void token_lost(struct token *token, unsigned long connection);
/* Logs in, unless the token is unlocked. */
int token_login(struct token *token, const struct name *name, bool is_only, const struct asking *asking);
/* The PIN for an operation with a key that wants it each time. */
CK_RV token_login_again(struct token *token, CK_SESSION_HANDLE session);
/* In place of a module's code: the PIN was refused before, and is not presented. */
#define CODE_REFUSED_BEFORE (CKR_VENDOR_DEFINED | 0x4B414E41UL)

/* ---- object.c ---- */

struct object {
    CK_OBJECT_HANDLE handle;
    /* The connection that has the handle. */
    unsigned long connection;
    CK_ULONG type;
    /* Of any length, and any bytes. The label is in the same memory as the id, which is NULL if the object has neither. */
    unsigned char *id;
    size_t id_length, label_length;
};
const unsigned char *object_label(const struct object *object);
/* Returns false for want of memory. */
bool object_copy(struct object *to, const struct object *from);
void object_free(struct object *object);
/* An array and its objects. */
void objects_free(struct object *objects, size_t count);
/* Values of an attribute; NULL if it is missing or empty. The caller frees it by OPENSSL_free. */
unsigned char *object_attribute(
    struct token *token, CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE_TYPE type, size_t *length);
/* A search by class, and by id and label where these are not empty. */
struct sought {
    CK_OBJECT_CLASS class;
    const void *id, *label;
    size_t id_length, label_length;
};
/* The objects that the token finds, in an array that the caller frees by objects_free. */
CK_RV object_list(
    struct token *token, CK_SESSION_HANDLE session, const struct sought *sought, struct object **objects, size_t *count);
/* Objects that a name may mean: object_matches decides. */
struct sought object_sought(const struct name *name, CK_OBJECT_CLASS class);
bool object_matches(const struct object *object, const struct name *name);
void object_describe(const struct object *object, struct text *text);
bool is_same_object(const struct object *one, const struct object *other);
/* ---- find.c ---- */

/*
 * The one object of a class that a name means, and its token. Returns 0 with an error that lists the objects, or -1 if
 * the object does not exist and is not required. The caller frees the object by object_free.
 */
int object_find(
    const struct name *name, CK_OBJECT_CLASS wanted, const struct asking *asking, bool is_required,
    struct token **token, struct object *object);
/* All objects that a name means, in an array that the caller frees by objects_free; there may be none. Returns 0 with an error. */
int object_find_all(
    const struct name *name, CK_OBJECT_CLASS wanted, const struct asking *asking, struct token **token,
    struct object **objects, size_t *count);
const char *class_name(CK_OBJECT_CLASS wanted);

#endif
