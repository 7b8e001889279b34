/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions with a token. The first session connects: it finds the token's slot and presents the PIN that the token has
 * accepted before, if any. Released sessions are kept for the next operation. A refused PIN is not presented again,
 * because each wrong PIN costs a try.
 */
#include "keys.h"

#include <stdio.h>
#include <string.h>

static const char *serial(const struct token *token, char *text, size_t size) {
    snprintf(
        text, size, "%.*s", (int)p11_kit_space_strlen(token->info.serialNumber, sizeof token->info.serialNumber),
        token->info.serialNumber);
    return text;
}

/* Presents a PIN, or NULL for the token's own authentication, which may be repeated if it "is_new". */
static CK_RV present(
    struct token *token, CK_SESSION_HANDLE session, CK_USER_TYPE user, struct secret *pin, bool is_new) {
    struct refusals *refusals = token->refusals;
    uint64_t held = refusals_lock(refusals, pin == NULL);
    CK_RV code = CODE_REFUSED_BEFORE;

    if ((!pin && is_new) || !refusals_have(refusals, pin)) {
        note("the PIN is presented");
        code = CALL(
            token->module, C_Login, session, user, pin ? pin->octets : NULL, pin ? (CK_ULONG)pin->length : 0);
        if (code == CKR_PIN_INCORRECT)
            refusals_add(refusals, pin);
        else if (!pin)
            refusals_forget_path(refusals);
    }
    refusals_unlock(refusals, held);
    return code;
}

/* The first login of a connection. To be called while "connecting" is held. */
static int log_in(struct token *token, CK_SESSION_HANDLE session, struct secret *pin, bool is_new) {
    CK_RV code = present(token, session, CKU_USER, pin, is_new);

    return code == CKR_OK || code == CKR_USER_ALREADY_LOGGED_IN || FAIL_CODE("C_Login", code);
}

/* The token's present slot. */
static int find_slot(struct token *token, CK_SLOT_ID *slot) {
    struct found_slot *slots;
    char name[32];
    int count = module_slots(token->module, &slots);
    bool is_found = false;

    for (int i = 0; !is_found && i < count; i++)
        if (is_same_token(&slots[i].info, &token->info)) {
            *slot = slots[i].slot;
            is_found = true;
        }
    OPENSSL_free(slots);
    if (is_found || count < 0)
        return is_found;
    return FAIL(REASON_TOKEN, "no reader has the token with the serial number %s", serial(token, name, sizeof name));
}

/* Opens the first session, and logs in as before. To be called while "connecting" is held. */
static int connect_token(struct token *token) {
    CK_SESSION_HANDLE session = 0;
    CK_SLOT_ID slot = 0;
    CK_RV code;

    if (!module_initialise(token->module) || !find_slot(token, &slot))
        return 0;
    code = CALL(token->module, C_OpenSession, slot, CKF_SERIAL_SESSION, NULL, NULL, &session);
    if (code != CKR_OK)
        return FAIL_CODE("C_OpenSession", code);
    if ((token->pin || token->has_path) && !log_in(token, session, token->pin, false)) {
        CALL(token->module, C_CloseSession, session);
        return 0;
    }
    state_lock();
    token->slot = slot;
    token->has_login = token->pin || token->has_path;
    token->connection = ++token->connections;
    token->idle[0] = session;
    token->idle_count = token->session_count = 1;
    state_unlock();
    note("connected to the token in slot %lu", slot);
    return 1;
}

static int connect_once(struct token *token) {
    bool is_connected;
    int done;

    pthread_mutex_lock(&token->connecting);
    state_lock();
    is_connected = token->connection != 0;
    state_unlock();
    done = is_connected || connect_token(token);
    pthread_mutex_unlock(&token->connecting);
    return done;
}

/* Another session of a connection. */
static int open_session(struct token *token, CK_SLOT_ID slot, CK_SESSION_HANDLE *session, unsigned long *connection) {
    CK_RV code = CALL(token->module, C_OpenSession, slot, CKF_SERIAL_SESSION, NULL, NULL, session);

    if (code == CKR_OK)
        return 1;
    state_lock();
    if (token->connection == *connection)
        token->session_count--;
    /* Other threads release their sessions at the end of their operations. */
    if (code == CKR_SESSION_COUNT && token->connection == *connection && token->session_count > 0 && state_wait())
        code = CKR_OK;
    state_unlock();
    if (code != CKR_OK && !is_loss(code))
        return FAIL_CODE("C_OpenSession", code);
    if (code != CKR_OK)
        token_lost(token, *connection);
    return -1;
}

int token_acquire(struct token *token, CK_SESSION_HANDLE *session, unsigned long *connection) {
    unsigned long last = 0;

    for (int tries = 0; tries < 100;) {
        CK_SLOT_ID slot;
        bool has_session = false;
        int opened;

        state_lock();
        *connection = token->connection;
        slot = token->slot;
        if (*connection && token->idle_count > 0) {
            *session = token->idle[--token->idle_count];
            has_session = true;
        } else if (*connection) {
            token->session_count++;
        }
        state_unlock();
        if (has_session)
            return 1;
        if (*connection == 0) {
            if (!connect_once(token))
                return 0;
            continue;
        }
        /* Waiting for a session of another thread does not count as a try. */
        if (*connection != last)
            tries++;
        last = *connection;
        opened = open_session(token, slot, session, connection);
        if (opened >= 0)
            return opened;
    }
    return FAIL(REASON_TOKEN, "the connection to the token was lost in each attempt: check its contact, and try again");
}

void token_release(struct token *token, CK_SESSION_HANDLE session, unsigned long connection) {
    bool is_kept = false;

    state_lock();
    if (connection && token->connection == connection) {
        is_kept = token->idle_count < sizeof token->idle / sizeof token->idle[0];
        if (is_kept)
            token->idle[token->idle_count++] = session;
        else
            token->session_count--;
    }
    state_changed();
    state_unlock();
    if (!is_kept)
        CALL(token->module, C_CloseSession, session);
}

void token_lost(struct token *token, unsigned long connection) {
    CK_SESSION_HANDLE old[64];
    size_t count = 0;

    state_lock();
    if (connection && token->connection == connection) {
        count = token->idle_count;
        memcpy(old, token->idle, count * sizeof old[0]);
        token->connection = 0;
        token->idle_count = token->session_count = 0;
        token->has_login = false;
    }
    state_changed();
    state_unlock();
    for (size_t i = 0; i < count; i++)
        CALL(token->module, C_CloseSession, old[i]);
}

/* Forgets a PIN that was accepted once and is refused now: by the settings or its user, the token may have another one. */
static bool forget_refused(struct token *token) {
    struct secret *pin;
    bool is_refused;

    pthread_mutex_lock(&token->connecting);
    is_refused = (token->pin || token->has_path) && refusals_have(token->refusals, token->pin);
    state_lock();
    pin = is_refused ? token->pin : NULL;
    if (is_refused) {
        token->pin = NULL;
        token->has_path = false;
    }
    state_unlock();
    pthread_mutex_unlock(&token->connecting);
    secret_free(pin);
    return is_refused;
}

int token_login(struct token *token, const struct name *name, bool is_only, const struct asking *asking) {
    CK_SESSION_HANDLE session;
    struct secret *pin = NULL;
    unsigned long connection;
    struct wanted_token wanted = {.name = name, .is_only = is_only};
    bool has_login;
    int done;

    state_lock();
    wanted.info = token->info;
    state_unlock();
    if (!(wanted.info.flags & CKF_LOGIN_REQUIRED) && !settings_login())
        return 1;
    ERR_set_mark();
    done = token_acquire(token, &session, &connection);
    if (!done && forget_refused(token)) {
        ERR_pop_to_mark();
        done = token_acquire(token, &session, &connection);
    } else {
        ERR_clear_last_mark();
    }
    if (!done)
        return 0;
    pthread_mutex_lock(&token->connecting);
    state_lock();
    has_login = token->has_login && token->connection == connection;
    state_unlock();
    if (has_login)
        done = 1;
    else if (wanted.info.flags & CKF_USER_PIN_LOCKED)
        done = FAIL(REASON_PIN_LOCKED, "the token reports it; its administrator can unlock it");
    else
        done = pin_find(&pin, &wanted, asking) && log_in(token, session, pin, true);
    if (done && !has_login) {
        /* A fork finds the old PIN or the new one. */
        struct secret *old;
        state_lock();
        old = token->pin;
        token->pin = pin;
        token->has_path = pin == NULL;
        token->has_login = token->connection == connection;
        state_unlock();
        pin = old;
    }
    secret_free(pin);
    pthread_mutex_unlock(&token->connecting);
    token_release(token, session, connection);
    return done;
}

CK_RV token_login_again(struct token *token, CK_SESSION_HANDLE session) {
    struct secret *pin = NULL;
    bool has_pin;
    CK_RV code;

    state_lock();
    has_pin = token->pin != NULL;
    if (has_pin)
        pin = secret_copy(token->pin);
    state_unlock();
    if (has_pin && !pin)
        return CKR_HOST_MEMORY;
    code = present(token, session, CKU_CONTEXT_SPECIFIC, pin, false);
    secret_free(pin);
    return code;
}
