/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which token and which object a name means. If a name fits several tokens, only tokens that show an object of this
 * name without a login count: no PIN is presented to an unrelated token.
 */
#include "keys.h"

#include <string.h>

static void add_token(struct text *text, const CK_TOKEN_INFO *info) {
    text_add(
        text, "%stoken=%.*s;serial=%.*s", text->length ? ", " : "",
        (int)p11_kit_space_strlen(info->label, sizeof info->label), info->label,
        (int)p11_kit_space_strlen(info->serialNumber, sizeof info->serialNumber), info->serialNumber);
}

/* Whether a token has a PIN: it has a user and private objects. */
static bool has_pin(const CK_TOKEN_INFO *info) {
    return info->flags & CKF_TOKEN_INITIALIZED && info->flags & CKF_LOGIN_REQUIRED;
}

/* A token that was never formatted has no objects and no user. It is passed over if there are others. */
static int without_new(struct found_slot *slots, int count) {
    int found = 0;

    for (int i = 0; i < count; i++)
        if (slots[i].info.flags & CKF_TOKEN_INITIALIZED)
            slots[found++] = slots[i];
    return found ? found : count;
}

/* The slots whose tokens the name fits; -1 with an error. Counts all tokens with PINs. The caller frees the array. */
static int find_slots(struct module *module, const struct name *name, struct found_slot **all, int *pin_count) {
    int count = module_slots(module, all), found = 0;
    struct found_slot *slots = *all;
    struct text there = {0};

    *pin_count = 0;
    if (count < 0)
        return -1;
    for (int i = 0; i < count; i++) {
        CK_SLOT_INFO slot = {0};
        add_token(&there, &slots[i].info);
        *pin_count += has_pin(&slots[i].info);
        if (name->slot != (CK_SLOT_ID)-1 && name->slot != slots[i].slot)
            continue;
        if (name->uri
            && (!p11_kit_uri_match_token_info(name->uri, &slots[i].info)
                || !p11_kit_uri_match_module_info(name->uri, &module->info)
                || CALL(module, C_GetSlotInfo, slots[i].slot, &slot) != CKR_OK
                || !p11_kit_uri_match_slot_info(name->uri, &slot)))
            continue;
        slots[found++] = slots[i];
    }
    if (found == 0) {
        if (count == 0)
            FAIL(REASON_TOKEN, "the readers of %s have no token", module->path);
        else
            FAIL(REASON_TOKEN, "no token matches; the readers have %s", there.characters);
        return -1;
    }
    return without_new(slots, found);
}

/* The objects of a token that a name means; 0 with an error. */
static int find_matching(
    const struct name *name, CK_OBJECT_CLASS class, struct token *token, struct object **objects, size_t *count) {
    struct sought sought = object_sought(name, class);
    CK_SESSION_HANDLE session;
    unsigned long connection;
    size_t all, found = 0;
    CK_RV code;

    *objects = NULL;
    *count = 0;
    /* A session that was idle may have ended with a token that left. */
    for (bool is_second = false;; is_second = true) {
        if (!token_acquire(token, &session, &connection))
            return 0;
        code = object_list(token, session, &sought, objects, &all);
        if (is_loss(code))
            token_lost(token, connection);
        token_release(token, session, connection);
        if (code == CKR_OK)
            break;
        if (is_second || !is_loss(code))
            return FAIL_CODE("C_FindObjects", code);
    }
    for (size_t i = 0; i < all; i++) {
        struct object object = (*objects)[i];
        if (object_matches(&object, name)) {
            object.connection = connection;
            (*objects)[found++] = object;
        } else {
            object_free(&object);
        }
    }
    *count = found;
    return 1;
}

/* Whether the token shows a key or a certificate of this name without a login. */
static bool shows(struct token *token, const struct name *name) {
    static const CK_OBJECT_CLASS classes[] = {CKO_PUBLIC_KEY, CKO_CERTIFICATE};
    size_t count = 0;

    for (int i = 0; count == 0 && i < 2; i++) {
        struct object *objects;
        find_matching(name, classes[i], token, &objects, &count);
        objects_free(objects, count);
    }
    return count > 0;
}

static struct token *choose(struct module *module, const struct name *name, struct found_slot *slots, int count) {
    struct text text = {0};
    struct token *chosen = NULL;
    int shown = 0;

    if (count == 1)
        return module_token(module, &slots[0]);
    ERR_set_mark();
    for (int i = 0; i < count; i++) {
        struct token *token = module_token(module, &slots[i]);
        if (token && shows(token, name)) {
            chosen = token;
            shown++;
        }
        add_token(&text, &slots[i].info);
    }
    ERR_pop_to_mark();
    if (shown == 1)
        return chosen;
    FAIL(REASON_SEVERAL, "several tokens match; name one, as in pkcs11:serial=...: the readers have %s", text.characters);
    return NULL;
}

/* The token that a name means, with a login if the class of objects needs it. Returns 0 with an error. */
static int find_token(
    const struct name *name, CK_OBJECT_CLASS wanted, const struct asking *asking, struct token **token) {
    struct found_slot *slots = NULL;
    char *path = name->module ? OPENSSL_strdup(name->module) : settings_module();
    struct module *module = path ? module_open(path) : NULL;
    int count, pin_count;
    bool is_only;

    if (!path)
        return NO_MEMORY();
    OPENSSL_free(path);
    if (!module)
        return 0;
    count = find_slots(module, name, &slots, &pin_count);
    *token = count > 0 ? choose(module, name, slots, count) : NULL;
    OPENSSL_free(slots);
    if (!*token)
        return 0;
    state_lock();
    is_only = pin_count <= has_pin(&(*token)->info);
    state_unlock();
    return (wanted != CKO_PRIVATE_KEY && !settings_login() && !name_has_pin(name))
        || token_login(*token, name, is_only, asking);
}

int object_find_all(
    const struct name *name, CK_OBJECT_CLASS wanted, const struct asking *asking, struct token **token,
    struct object **objects, size_t *count) {
    *objects = NULL;
    *count = 0;
    return find_token(name, wanted, asking, token) && find_matching(name, wanted, *token, objects, count);
}

static void describe(const struct object *objects, size_t count, struct text *text) {
    for (size_t i = 0; i < count; i++)
        object_describe(&objects[i], text);
}

int object_find(
    const struct name *name, CK_OBJECT_CLASS wanted, const struct asking *asking, bool is_required,
    struct token **token, struct object *object) {
    static const struct name any = {0};
    struct text text = {0};
    struct object *objects;
    size_t count;

    *object = (struct object){0};
    if (!object_find_all(name, wanted, asking, token, &objects, &count))
        return 0;
    describe(objects, count, &text);
    if (count == 1) {
        *object = objects[0];
        OPENSSL_free(objects);
        note("found the %s %s", class_name(wanted), text.characters);
        return 1;
    }
    objects_free(objects, count);
    if (count > 1)
        return FAIL(REASON_SEVERAL, "%zu objects of the token match: %s", count, text.characters);
    if (!is_required)
        return -1;
    if (!find_matching(&any, wanted, *token, &objects, &count))
        return 0;
    describe(objects, count, &text);
    objects_free(objects, count);
    return FAIL(
        REASON_OBJECT, "no %s matches; there is %s", class_name(wanted), text.length ? text.characters : "none at all");
}
