/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of a token: what there is, and which of it a name means. */
#include "keys.h"

#include <stdio.h>
#include <string.h>

unsigned char *object_attribute(
    struct token *token, CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE_TYPE type, size_t *length) {
    CK_ATTRIBUTE attribute = {type, NULL, 0};

    *length = 0;
    if (call_attribute(token->module, session, object, &attribute) != CKR_OK || attribute.ulValueLen == 0)
        return NULL;
    attribute.pValue = OPENSSL_zalloc(attribute.ulValueLen);
    if (!attribute.pValue)
        return NULL;
    if (call_attribute(token->module, session, object, &attribute) != CKR_OK || attribute.ulValueLen == 0) {
        OPENSSL_free(attribute.pValue);
        return NULL;
    }
    *length = attribute.ulValueLen;
    return attribute.pValue;
}

/* Both in one piece of memory. False for want of it. */
static bool read_names(struct token *token, CK_SESSION_HANDLE session, struct object *object) {
    unsigned char *id = object_attribute(token, session, object->handle, CKA_ID, &object->id_length);
    unsigned char *label = object_attribute(token, session, object->handle, CKA_LABEL, &object->label_length);
    size_t length = object->id_length + object->label_length;

    object->id = length ? OPENSSL_zalloc(length) : NULL;
    if (object->id && id)
        memcpy(object->id, id, object->id_length);
    if (object->id && label)
        memcpy(object->id + object->id_length, label, object->label_length);
    OPENSSL_free(id);
    OPENSSL_free(label);
    return object->id || !length;
}

static bool read_object(struct token *token, CK_SESSION_HANDLE session, CK_OBJECT_CLASS wanted, struct object *object) {
    CK_ATTRIBUTE_TYPE kind = wanted == CKO_CERTIFICATE ? CKA_CERTIFICATE_TYPE : CKA_KEY_TYPE;
    CK_ULONG type;
    size_t length;
    unsigned char *value = object_attribute(token, session, object->handle, kind, &length);

    object->type = (CK_ULONG)-1;
    if (value && length == sizeof type)
        memcpy(&object->type, value, length);
    OPENSSL_free(value);
    return read_names(token, session, object);
}

/* A growing list. */
struct handles {
    CK_OBJECT_HANDLE *list;
    size_t count, room;
};

static bool grow(struct handles *handles) {
    enum { STEP = 512 };
    size_t room = handles->room ? 2 * handles->room : STEP;
    CK_OBJECT_HANDLE *list;

    if (handles->count < handles->room)
        return true;
    list = OPENSSL_zalloc(room * sizeof *list);
    if (!list)
        return false;
    if (handles->count)
        memcpy(list, handles->list, handles->count * sizeof *list);
    OPENSSL_free(handles->list);
    handles->list = list;
    handles->room = room;
    return true;
}

/* PKCS #11 lets a module give fewer handles than there is room for; none is the end. An invalid one was never written. */
static CK_RV find_more(struct token *token, CK_SESSION_HANDLE session, struct handles *handles, bool *is_end) {
    CK_ULONG found;
    CK_RV code;

    if (!grow(handles))
        return CKR_HOST_MEMORY;
    found = handles->room - handles->count;
    code = call_objects(token->module, session, handles->list + handles->count, &found);
    for (CK_ULONG i = 0; code == CKR_OK && i < found; i++)
        if (handles->list[handles->count + i] == CK_INVALID_HANDLE)
            code = CODE_TOO_LONG;
    *is_end = found == 0;
    handles->count += found;
    return code == CKR_OK && handles->count > LARGEST_LIST ? CODE_TOO_LONG : code;
}

CK_RV object_list(
    struct token *token, CK_SESSION_HANDLE session, CK_OBJECT_CLASS wanted, struct object **objects, size_t *count) {
    CK_ATTRIBUTE query = {CKA_CLASS, &wanted, sizeof wanted};
    struct handles handles = {0};
    bool is_end = false;
    CK_RV code;

    *objects = NULL;
    *count = 0;
    code = CALL(token->module, C_FindObjectsInit, session, &query, 1);
    if (code == CKR_OK) {
        while (code == CKR_OK && !is_end)
            code = find_more(token, session, &handles, &is_end);
        CALL(token->module, C_FindObjectsFinal, session);
    }
    if (code == CKR_OK && handles.count > 0) {
        *objects = OPENSSL_zalloc(handles.count * sizeof **objects);
        if (!*objects)
            code = CKR_HOST_MEMORY;
    }
    for (size_t i = 0; code == CKR_OK && i < handles.count && *objects; i++) {
        (*objects)[i].handle = handles.list[i];
        *count = i + 1;
        if (!read_object(token, session, wanted, &(*objects)[i]))
            code = CKR_HOST_MEMORY;
    }
    OPENSSL_free(handles.list);
    if (code != CKR_OK) {
        objects_free(*objects, *count);
        *objects = NULL;
        *count = 0;
    }
    return code;
}

const unsigned char *object_label(const struct object *object) { return object->id ? object->id + object->id_length : NULL; }

bool object_copy(struct object *to, const struct object *from) {
    *to = *from;
    to->id = from->id ? OPENSSL_memdup(from->id, from->id_length + from->label_length) : NULL;
    return to->id || !from->id;
}

void object_free(struct object *object) {
    OPENSSL_free(object->id);
    *object = (struct object){0};
}

void objects_free(struct object *objects, size_t count) {
    for (size_t i = 0; objects && i < count; i++)
        object_free(&objects[i]);
    OPENSSL_free(objects);
}

static bool is_equal(const void *one, size_t length, const void *other, size_t other_length) {
    return length == other_length && (length == 0 || memcmp(one, other, length) == 0);
}

bool object_matches(const struct object *object, const struct name *name) {
    bool has_id = name->has_id && is_equal(object->id, object->id_length, name->id, name->id_length);
    bool has_label =
        name->label && is_equal(object_label(object), object->label_length, name->label, name->label_length);

    if (name->either)
        return has_id || has_label;
    return (!name->has_id || has_id) && (!name->label || has_label);
}

bool is_same_object(const struct object *one, const struct object *other) {
    return one->type == other->type && is_equal(one->id, one->id_length, other->id, other->id_length)
        && is_equal(object_label(one), one->label_length, object_label(other), other->label_length);
}

/* As a URI would have it; what a terminal might take for something else is left out. */
void object_describe(const struct object *object, struct text *text) {
    const unsigned char *label = object_label(object);

    text_add(text, "%s", text->length ? ", " : "");
    if (object->id_length)
        text_add(text, "id=");
    for (size_t i = 0; i < object->id_length; i++)
        text_add(text, "%%%02X", object->id[i]);
    if (object->label_length)
        text_add(text, "%sobject=", object->id_length ? ";" : "");
    for (size_t i = 0; i < object->label_length; i++)
        text_add(text, label[i] <= ' ' || label[i] == 0x7F || strchr(";%", label[i]) ? "%%%02X" : "%c", label[i]);
    if (!object->id_length && !object->label_length)
        text_add(text, "one without id and label");
}
