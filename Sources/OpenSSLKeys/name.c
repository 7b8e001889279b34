/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of keys and certificates. A URI (RFC 7512) begins with "pkcs11:". The engine of libp11 has shorter names, which
 * mean the same here: slot_2, id_0a0b, label_name, slot_2-id_0a0b, slot_2-label_name. Anything else is a label, or an
 * identifier in hexadecimal.
 */
#include "keys.h"

#include <stdlib.h>
#include <string.h>

const char *class_name(CK_OBJECT_CLASS wanted) {
    return wanted == CKO_PRIVATE_KEY ? "private key"
        : wanted == CKO_PUBLIC_KEY   ? "public key"
        : wanted == CKO_CERTIFICATE  ? "certificate"
                                     : "object of another kind";
}

/* Reads hexadecimal digits, with or without colons between bytes. Returns false for other characters. */
static bool read_hexadecimal(struct name *name, const char *text) {
    size_t length = 0, room = strlen(text) / 2;
    unsigned char *id = room ? OPENSSL_zalloc(room) : NULL;

    if (!id)
        return false;
    while (*text) {
        int high = OPENSSL_hexchar2int((unsigned char)text[0]);
        int low = high < 0 || !text[1] ? -1 : OPENSSL_hexchar2int((unsigned char)text[1]);
        if (low < 0 || length == room) {
            OPENSSL_free(id);
            return false;
        }
        id[length++] = (unsigned char)(high << 4 | low);
        text += text[2] == ':' && text[3] ? 3 : 2;
    }
    name->id = id;
    name->id_length = length;
    name->has_id = true;
    return true;
}

/* A file may come from a stranger: it may name neither code to load nor a secret to present to a token. */
static int check_file(P11KitUri *uri) {
    const char *attribute = p11_kit_uri_get_pin_value(uri) ? "pin-value"
        : p11_kit_uri_get_pin_source(uri)                  ? "pin-source"
        : p11_kit_uri_get_module_path(uri)                 ? "module-path"
        : p11_kit_uri_get_module_name(uri)                 ? "module-name"
                                                           : NULL;

    return !attribute
        || FAIL(
               REASON_NAME,
               "a key file names an object, and neither a PIN nor a module: remove %s from the file; the settings have PIN, "
               "SERIAL and MODULE_PATH",
               attribute);
}

static int read_uri(struct name *name, const char *text, CK_OBJECT_CLASS wanted) {
    const char *module, *module_name;
    CK_ATTRIBUTE *attribute;
    int code;

    name->uri = p11_kit_uri_new();
    if (!name->uri)
        return NO_MEMORY();
    code = p11_kit_uri_parse(text, P11_KIT_URI_FOR_ANY, name->uri);
    if (code != P11_KIT_URI_OK)
        return FAIL(REASON_NAME, "the URI: %s", p11_kit_uri_message(code));
    if (p11_kit_uri_any_unrecognized(name->uri))
        return FAIL(REASON_NAME, "the URI has an unknown attribute");
    if (name->is_of_file && !check_file(name->uri))
        return 0;
    name->slot = p11_kit_uri_get_slot_id(name->uri);
    module = p11_kit_uri_get_module_path(name->uri);
    module_name = p11_kit_uri_get_module_name(name->uri);
    if (module_name && !module)
        return FAIL(REASON_NAME, "the URI has module-name %s; name the module by module-path", module_name);
    if (module && !(name->module = OPENSSL_strdup(module)))
        return NO_MEMORY();
    attribute = p11_kit_uri_get_attribute(name->uri, CKA_CLASS);
    if (attribute && attribute->pValue && attribute->ulValueLen == sizeof wanted
        && memcmp(attribute->pValue, &wanted, sizeof wanted) != 0) {
        CK_OBJECT_CLASS other;
        memcpy(&other, attribute->pValue, sizeof other);
        /* A public key may be named as a private key or a certificate, and a certificate as a key. */
        if (wanted == CKO_PRIVATE_KEY)
            return FAIL(REASON_NAME, "the URI is that of a %s; a private key is wanted", class_name(other));
    }
    attribute = p11_kit_uri_get_attribute(name->uri, CKA_ID);
    if (attribute) {
        if (attribute->ulValueLen && !(name->id = OPENSSL_memdup(attribute->pValue, attribute->ulValueLen)))
            return NO_MEMORY();
        name->id_length = attribute->ulValueLen;
        name->has_id = true;
    }
    attribute = p11_kit_uri_get_attribute(name->uri, CKA_LABEL);
    if (attribute) {
        /* It may have zero bytes. */
        if (!(name->label = OPENSSL_zalloc(attribute->ulValueLen + 1)))
            return NO_MEMORY();
        if (attribute->ulValueLen)
            memcpy(name->label, attribute->pValue, attribute->ulValueLen);
        name->label_length = attribute->ulValueLen;
    }
    return 1;
}

static int read_name(struct name *name, const char *text, CK_OBJECT_CLASS wanted) {
    const char *rest = text;

    if (!text)
        return FAIL(REASON_NAME, "the name is missing");
    if (OPENSSL_strncasecmp(text, "pkcs11:", 7) == 0)
        return read_uri(name, text, wanted);
    if (strncmp(rest, "slot_", 5) == 0) {
        char *end;
        name->slot = strtoul(rest + 5, &end, 10);
        if (rest[5] < '0' || rest[5] > '9' || name->slot == (CK_SLOT_ID)-1 || (*end != '\0' && *end != '-'))
            return FAIL(REASON_NAME, "%.80s: write the number of a slot after slot_", text);
        rest = *end ? end + 1 : end;
        if (*rest == '\0')
            return 1;
    }
    if (strncmp(rest, "id_", 3) == 0)
        return read_hexadecimal(name, rest + 3)
            || FAIL(REASON_NAME, "%.80s: write an identifier in hexadecimal after id_", text);
    if (strncmp(rest, "label_", 6) == 0)
        rest += 6;
    else if (rest != text)
        return FAIL(REASON_NAME, "%.80s: write id_ or label_ after the slot", text);
    else
        name->either = read_hexadecimal(name, rest);
    name->label = OPENSSL_strdup(rest);
    name->label_length = strlen(rest);
    return name->label ? 1 : NO_MEMORY();
}

int name_read(struct name *name, const char *text, CK_OBJECT_CLASS wanted) {
    *name = (struct name){.slot = (CK_SLOT_ID)-1};
    return read_name(name, text, wanted);
}

int name_read_of_file(struct name *name, const char *text, CK_OBJECT_CLASS wanted) {
    *name = (struct name){.slot = (CK_SLOT_ID)-1, .is_of_file = true};
    return read_name(name, text, wanted);
}

bool name_has_pin(const struct name *name) {
    return name->uri && (p11_kit_uri_get_pin_value(name->uri) || p11_kit_uri_get_pin_source(name->uri));
}

void name_free(struct name *name) {
    const char *pin = name->uri ? p11_kit_uri_get_pin_value(name->uri) : NULL;

    /* p11-kit owns the memory, and does not clear it. */
    if (pin)
        OPENSSL_cleanse((char *)pin, strlen(pin));
    p11_kit_uri_free(name->uri);
    OPENSSL_free(name->module);
    OPENSSL_free(name->id);
    OPENSSL_free(name->label);
    *name = (struct name){0};
}
