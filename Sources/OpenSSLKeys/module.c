/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PKCS #11 modules, by p11-kit's library, which counts the users of a module in a process. The lists of modules and
 * tokens. A forked child finds the lists whole and all tokens unconnected: it initialises modules again, and forgets
 * the parent's sessions. A fork also waits while libraries are loaded and released, because p11-kit's library and the C
 * library's loader would leave their locks held in the child.
 */
#include "keys.h"

#include <stdlib.h>
#include <string.h>

/* One thread at a time loads, initialises and ends modules. */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static struct module *modules;
static struct token *tokens;
static size_t users;
static bool is_ending;

static void disconnect(struct token *token) {
    token->connection = 0;
    token->idle_count = token->session_count = 0;
    token->has_login = false;
}

static void in_child(void) {
    pthread_mutex_init(&loading, NULL);
    for (struct module *module = modules; module; module = module->next) {
        pthread_mutex_init(&module->calling, NULL);
        module->is_initialised = false;
    }
    for (struct token *token = tokens; token; token = token->next) {
        pthread_mutex_init(&token->connecting, NULL);
        secret_lock(token->pin);
        disconnect(token);
    }
    settings_lock_pin();
    state_renew();
}

static void before_fork(void) {
    loader_lock();
    state_lock();
}
static void after_fork(void) {
    state_unlock();
    loader_unlock();
}

/* OpenSSL may free engines after the destructors of modules. No module is called then. */
static void at_exit(void) {
    state_lock();
    is_ending = true;
    state_unlock();
}

static bool is_prepared;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static void prepare(void) {
    is_prepared = pthread_atfork(before_fork, after_fork, in_child) == 0 && atexit(at_exit) == 0;
}

bool module_prepare_process(void) {
    pthread_once(&prepared, prepare);
    return is_prepared;
}

int module_initialise(struct module *module) {
    CK_INFO info = {0};
    CK_RV code = CKR_OK;
    bool is_initialised;

    pthread_mutex_lock(&loading);
    state_lock();
    is_initialised = module->is_initialised;
    state_unlock();
    if (!is_initialised) {
        code = call_initialise(module);
        /* Another part of the program has initialised it, and will finalise it. */
        module->is_ours = code == CKR_OK;
        if (code == CKR_OK || code == CKR_CRYPTOKI_ALREADY_INITIALIZED)
            code = CALL(module, C_GetInfo, &info);
        state_lock();
        module->is_initialised = code == CKR_OK;
        /* It never changes, and others read it. */
        if (code == CKR_OK && !module->has_info) {
            module->info = info;
            module->has_info = true;
        }
        state_unlock();
    }
    pthread_mutex_unlock(&loading);
    return code == CKR_OK || FAIL_CODE("C_Initialize", code);
}

/* The module of this path, loaded if it is not. */
static struct module *load(const char *path) {
    struct module *module;
    const char *message;

    state_lock();
    for (module = modules; module && strcmp(module->path, path) != 0;)
        module = module->next;
    state_unlock();
    if (module)
        return module;
    if (process_root_has_changed()) {
        FAIL(REASON_MODULE, "%s: the process has changed its root directory (chroot), and loads no module from the new one; "
             "load the key before chroot", path);
        return NULL;
    }
    module = OPENSSL_zalloc(sizeof *module);
    if (!module || !(module->path = OPENSSL_strdup(path))) {
        OPENSSL_free(module);
        NO_MEMORY();
        return NULL;
    }
    pthread_mutex_init(&module->calling, NULL);
    loader_lock();
    p11_kit_be_quiet();
    module->functions = p11_kit_module_load(path, P11_KIT_MODULE_UNMANAGED | P11_KIT_MODULE_CRITICAL);
    message = module->functions ? NULL : p11_kit_message();
    loader_unlock();
    if (!module->functions) {
        FAIL(REASON_MODULE, "%s: %s", path, message ? message : "cannot be loaded");
        OPENSSL_free(module->path);
        OPENSSL_free(module);
        return NULL;
    }
    state_lock();
    module->next = modules;
    modules = module;
    state_unlock();
    return module;
}

struct module *module_open(const char *path) {
    struct module *module;

    pthread_mutex_lock(&loading);
    module = load(path);
    pthread_mutex_unlock(&loading);
    return module && module_initialise(module) ? module : NULL;
}

/*
 * The slots that have a token, in memory that the caller frees. Their number is not limited, and may grow between
 * calls.
 */
static CK_RV list_slots(struct module *module, CK_SLOT_ID **ids, CK_ULONG *count) {
    CK_RV code = CKR_BUFFER_TOO_SMALL;

    *ids = NULL;
    for (CK_ULONG room = 64; code == CKR_BUFFER_TOO_SMALL && room <= LARGEST_LIST; room *= 4) {
        OPENSSL_free(*ids);
        *ids = OPENSSL_zalloc(room * sizeof **ids);
        *count = room;
        code = *ids ? call_slots(module, *ids, count) : CKR_HOST_MEMORY;
    }
    return code;
}

int module_slots(struct module *module, struct found_slot **slots) {
    CK_SLOT_ID *ids;
    CK_ULONG count;
    int found = 0;
    CK_RV code = list_slots(module, &ids, &count);

    *slots = NULL;

    if (code == CKR_CRYPTOKI_NOT_INITIALIZED) {
        /* Another part of the program has finalised it. */
        state_lock();
        module->is_initialised = false;
        state_unlock();
        OPENSSL_free(ids);
        ids = NULL;
        if (!module_initialise(module))
            return -1;
        code = list_slots(module, &ids, &count);
    }
    if (code == CKR_OK && count && !(*slots = OPENSSL_zalloc(count * sizeof **slots)))
        code = CKR_HOST_MEMORY;
    if (code != CKR_OK) {
        OPENSSL_free(ids);
        FAIL_CODE("C_GetSlotList", code);
        return -1;
    }
    for (CK_ULONG i = 0; i < count; i++) {
        (*slots)[found] = (struct found_slot){.slot = ids[i]};
        code = CALL(module, C_GetTokenInfo, ids[i], &(*slots)[found].info);
        if (code == CKR_OK)
            found++;
        else
            note("slot %lu: C_GetTokenInfo returns 0x%lX", ids[i], code);
    }
    OPENSSL_free(ids);
    return found;
}

bool is_same_token(const CK_TOKEN_INFO *one, const CK_TOKEN_INFO *other) {
    return memcmp(one->serialNumber, other->serialNumber, sizeof one->serialNumber) == 0
        && memcmp(one->manufacturerID, other->manufacturerID, sizeof one->manufacturerID) == 0
        && memcmp(one->model, other->model, sizeof one->model) == 0;
}

struct token *module_token(struct module *module, const struct found_slot *slot) {
    struct token *token, *created = OPENSSL_zalloc(sizeof *created);

    if (created && !(created->refusals = refusals_new())) {
        OPENSSL_free(created);
        created = NULL;
    }
    state_lock();
    for (token = tokens; token; token = token->next)
        if (token->module == module && is_same_token(&token->info, &slot->info)) {
            /* Flags and label change. */
            token->info.flags = slot->info.flags;
            memcpy(token->info.label, slot->info.label, sizeof token->info.label);
            break;
        }
    if (!token && created) {
        token = created;
        created = NULL;
        token->module = module;
        token->slot = slot->slot;
        token->info = slot->info;
        pthread_mutex_init(&token->connecting, NULL);
        token->next = tokens;
        tokens = token;
    }
    state_unlock();
    if (created)
        refusals_free(created->refusals);
    OPENSSL_free(created);
    if (!token)
        NO_MEMORY();
    return token;
}

static void end(struct module *old_modules, struct token *old_tokens) {
    while (old_tokens) {
        struct token *token = old_tokens;
        old_tokens = token->next;
        for (size_t i = 0; token->connection && i < token->idle_count; i++)
            CALL(token->module, C_CloseSession, token->idle[i]);
        secret_free(token->pin);
        refusals_free(token->refusals);
        pthread_mutex_destroy(&token->connecting);
        OPENSSL_free(token);
    }
    while (old_modules) {
        struct module *module = old_modules;
        old_modules = module->next;
        if (module->is_initialised && module->is_ours)
            CALL(module, C_Finalize, NULL);
        loader_lock();
        p11_kit_module_release(module->functions);
        loader_unlock();
        pthread_mutex_destroy(&module->calling);
        OPENSSL_free(module->path);
        OPENSSL_free(module);
    }
}

void users_add(void) {
    state_lock();
    users++;
    state_unlock();
}

/* There may be a new user. Called with "loading", so that no thread initialises a module that ends. */
static void end_all(void) {
    struct module *old_modules = NULL;
    struct token *old_tokens = NULL;
    struct secret *old_pin = NULL;

    state_lock();
    if (--users == 0) {
        /* Now, because a new user may set its own while modules end. */
        old_pin = settings_forget_pin();
        old_modules = modules;
        old_tokens = tokens;
        modules = NULL;
        tokens = NULL;
    }
    state_unlock();
    secret_free(old_pin);
    end(old_modules, old_tokens);
}

void users_remove(void) {
    struct secret *old_pin = NULL;
    bool is_last;

    state_lock();
    is_last = users == 1 && !is_ending;
    if (!is_last && --users == 0)
        old_pin = settings_forget_pin();
    state_unlock();
    secret_free(old_pin);
    if (!is_last)
        return;
    pthread_mutex_lock(&loading);
    end_all();
    pthread_mutex_unlock(&loading);
}
