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

static void read_object(struct token *token, CK_SESSION_HANDLE session, CK_OBJECT_CLASS wanted, struct object *object) {
    CK_ATTRIBUTE_TYPE kind = wanted == CKO_CERTIFICATE ? CKA_CERTIFICATE_TYPE : CKA_KEY_TYPE;
    CK_ULONG type;
    size_t length;
    unsigned char *value = object_attribute(token, session, object->handle, kind, &length);

    object->type = (CK_ULONG)-1;
    if (value && length == sizeof type)
        memcpy(&object->type, value, length);
    OPENSSL_free(value);
    value = object_attribute(token, session, object->handle, CKA_ID, &length);
    if (value && length <= sizeof object->id) {
        memcpy(object->id, value, length);
        object->id_length = length;
    }
    OPENSSL_free(value);
    value = object_attribute(token, session, object->handle, CKA_LABEL, &length);
    if (value && length < sizeof object->label)
        memcpy(object->label, value, length);
    OPENSSL_free(value);
}

CK_RV object_list(
    struct token *token, CK_SESSION_HANDLE session, CK_OBJECT_CLASS wanted, struct object **objects, size_t *count) {
    CK_ATTRIBUTE query = {CKA_CLASS, &wanted, sizeof wanted};
    CK_OBJECT_HANDLE *handles;
    CK_ULONG found = OBJECTS;
    CK_RV code;

    *objects = NULL;
    *count = 0;
    handles = OPENSSL_zalloc(OBJECTS * sizeof *handles);
    if (!handles)
        return CKR_HOST_MEMORY;
    code = CALL(token->module, C_FindObjectsInit, session, &query, 1);
    if (code == CKR_OK) {
        code = call_objects(token->module, session, handles, &found);
        CALL(token->module, C_FindObjectsFinal, session);
    }
    if (code == CKR_OK && found > 0) {
        *objects = OPENSSL_zalloc(found * sizeof **objects);
        if (!*objects)
            code = CKR_HOST_MEMORY;
    }
    for (CK_ULONG i = 0; code == CKR_OK && i < found && *objects; i++) {
        (*objects)[i].handle = handles[i];
        read_object(token, session, wanted, &(*objects)[i]);
        *count = i + 1;
    }
    OPENSSL_free(handles);
    return code;
}

bool object_matches(const struct object *object, const struct name *name) {
    bool has_id = name->has_id && object->id_length == name->id_length
        && memcmp(object->id, name->id, name->id_length) == 0;
    bool has_label = name->label && strcmp(object->label, name->label) == 0;

    if (name->either)
        return has_id || has_label;
    return (!name->has_id || has_id) && (!name->label || has_label);
}

bool is_same_object(const struct object *one, const struct object *other) {
    return one->type == other->type && one->id_length == other->id_length
        && memcmp(one->id, other->id, one->id_length) == 0 && strcmp(one->label, other->label) == 0;
}

/* As a URI would have it; what a terminal might take for something else is left out. */
void object_describe(const struct object *object, struct text *text) {
    text_add(text, "%s", text->length ? ", " : "");
    if (object->id_length)
        text_add(text, "id=");
    for (size_t i = 0; i < object->id_length; i++)
        text_add(text, "%%%02X", object->id[i]);
    if (object->label[0])
        text_add(text, "%sobject=", object->id_length ? ";" : "");
    for (const char *c = object->label; *c; c++)
        text_add(text, (unsigned char)*c <= ' ' || *c == 0x7F || strchr(";%", *c) ? "%%%02X" : "%c", (unsigned char)*c);
    if (!object->id_length && !object->label[0])
        text_add(text, "one without id and label");
}
