/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of a token: lists, attributes, and comparison with names. */
#include "keys.h"

#include <stdio.h>
#include <string.h>

/* Room for an attribute at first; few certificates have more. */
enum { USUAL_VALUE = 4096, USUAL_NAME = 256 };

static bool read_attribute(
    struct token *token, CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *attribute, CK_RV *code) {
    attribute->pValue = OPENSSL_zalloc(attribute->ulValueLen);
    *code = attribute->pValue ? call_attributes(token->module, session, object, attribute, 1) : CKR_HOST_MEMORY;
    if (*code == CKR_OK && attribute->ulValueLen > 0)
        return true;
    OPENSSL_free(attribute->pValue);
    attribute->pValue = NULL;
    return false;
}

unsigned char *object_attribute(
    struct token *token, CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE_TYPE type, size_t *length) {
    CK_ATTRIBUTE attribute = {type, NULL, USUAL_VALUE};
    CK_RV code;

    if (!read_attribute(token, session, object, &attribute, &code) && code == CKR_BUFFER_TOO_SMALL
        && call_attributes(token->module, session, object, &attribute, 1) == CKR_OK && attribute.ulValueLen > 0)
        read_attribute(token, session, object, &attribute, &code);
    *length = attribute.pValue ? attribute.ulValueLen : 0;
    return attribute.pValue;
}

/* One call reads all; attributes that do not fit are read one by one. False if there is no memory. */
static bool read_object(struct token *token, CK_SESSION_HANDLE session, CK_OBJECT_CLASS class, struct object *object) {
    unsigned char type[2 * sizeof object->type] = {0}, id[USUAL_NAME] = {0}, label[USUAL_NAME] = {0}, *alone[3] = {0};
    CK_ATTRIBUTE attributes[] = {
        {class == CKO_CERTIFICATE ? CKA_CERTIFICATE_TYPE : CKA_KEY_TYPE, type, sizeof type},
        {CKA_ID, id, sizeof id},
        {CKA_LABEL, label, sizeof label},
    };
    size_t length;

    call_attributes(token->module, session, object->handle, attributes, 3);
    for (int i = 0; i < 3; i++)
        if (attributes[i].ulValueLen == CK_UNAVAILABLE_INFORMATION) {
            attributes[i].pValue = alone[i] =
                object_attribute(token, session, object->handle, attributes[i].type, &length);
            attributes[i].ulValueLen = length;
        }
    object->type = (CK_ULONG)-1;
    if (attributes[0].ulValueLen == sizeof object->type)
        memcpy(&object->type, attributes[0].pValue, sizeof object->type);
    object->id_length = attributes[1].ulValueLen;
    object->label_length = attributes[2].ulValueLen;
    length = object->id_length + object->label_length;
    object->id = length ? OPENSSL_zalloc(length) : NULL;
    if (object->id && object->id_length)
        memcpy(object->id, attributes[1].pValue, object->id_length);
    if (object->id && object->label_length)
        memcpy(object->id + object->id_length, attributes[2].pValue, object->label_length);
    for (int i = 0; i < 3; i++)
        OPENSSL_free(alone[i]);
    return object->id || !length;
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
    struct token *token, CK_SESSION_HANDLE session, const struct sought *sought, struct object **objects, size_t *count) {
    CK_ATTRIBUTE query[3] = {{CKA_CLASS, (void *)&sought->class, sizeof sought->class}};
    CK_ULONG queries = 1;
    struct handles handles = {0};
    bool is_end = false;
    CK_RV code;

    if (sought->id_length)
        query[queries++] = (CK_ATTRIBUTE){CKA_ID, (void *)sought->id, sought->id_length};
    if (sought->label_length)
        query[queries++] = (CK_ATTRIBUTE){CKA_LABEL, (void *)sought->label, sought->label_length};
    *objects = NULL;
    *count = 0;
    code = CALL(token->module, C_FindObjectsInit, session, query, queries);
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
        if (!read_object(token, session, sought->class, &(*objects)[i]))
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

struct sought object_sought(const struct name *name, CK_OBJECT_CLASS class) {
    return name->either
        ? (struct sought){.class = class}
        : (struct sought){class, name->id, name->label, name->has_id ? name->id_length : 0, name->label_length};
}

bool is_same_object(const struct object *one, const struct object *other) {
    return one->type == other->type && is_equal(one->id, one->id_length, other->id, other->id_length)
        && is_equal(object_label(one), one->label_length, object_label(other), other->label_length);
}

/* In the form of a URI, with all characters escaped that may command a terminal. */
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
        text_add(text, "an object without id and label");
}
