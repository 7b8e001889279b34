/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of a module. A module without locks is called by one thread at a time. Lengths and numbers that a module
 * reports are checked here alone: they may not be above the room that it had.
 */
#include "keys.h"

bool call_begin(struct module *module) {
    bool is_alone = __atomic_load_n(&module->is_serial, __ATOMIC_ACQUIRE);

    if (is_alone)
        pthread_mutex_lock(&module->calling);
    return is_alone;
}

void call_end(struct module *module, bool is_alone) {
    if (is_alone)
        pthread_mutex_unlock(&module->calling);
}

CK_RV call_initialise(struct module *module) {
    CK_C_INITIALIZE_ARGS threads = {.flags = CKF_OS_LOCKING_OK};
    CK_RV code = module->functions->C_Initialize(&threads);

    if (code != CKR_CANT_LOCK && code != CKR_CRYPTOKI_ALREADY_INITIALIZED)
        return code;
    /* The module cannot lock; or another part of the program has initialised it, maybe without locks. */
    __atomic_store_n(&module->is_serial, true, __ATOMIC_RELEASE);
    note("%s is called by one thread at a time", module->path);
    return code == CKR_CANT_LOCK ? module->functions->C_Initialize(NULL) : code;
}

/* Every output is checked here. */
static CK_RV within(CK_RV code, const char *called, CK_ULONG *length, CK_ULONG room) {
    if (code == CKR_OK && *length > room) {
        note("%s reports %lu, and the room is %lu", called, *length, room);
        code = CODE_TOO_LONG;
    }
    if (code != CKR_OK)
        *length = 0;
    return code;
}

CK_RV call_slots(struct module *module, CK_SLOT_ID *slots, CK_ULONG *count) {
    CK_ULONG room = *count;
    CK_RV code = CALL(module, C_GetSlotList, CK_TRUE, slots, count);

    return within(code, "C_GetSlotList", count, room);
}

CK_RV call_objects(struct module *module, CK_SESSION_HANDLE session, CK_OBJECT_HANDLE *objects, CK_ULONG *count) {
    CK_ULONG room = *count;
    CK_RV code;

    *count = 0;
    code = CALL(module, C_FindObjects, session, objects, room, count);
    return within(code, "C_FindObjects", count, room);
}

CK_RV call_attributes(
    struct module *module, CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *attributes, CK_ULONG count) {
    CK_ULONG rooms[MOST_ATTRIBUTES];
    CK_RV code, result;

    if (count > MOST_ATTRIBUTES)
        return CKR_ARGUMENTS_BAD;
    for (CK_ULONG i = 0; i < count; i++)
        rooms[i] = attributes[i].pValue ? attributes[i].ulValueLen : LARGEST_VALUE;
    result = code = CALL(module, C_GetAttributeValue, session, object, attributes, count);
    for (CK_ULONG i = 0; i < count; i++) {
        CK_ULONG length = attributes[i].ulValueLen;
        if (within(code, "C_GetAttributeValue", &length, rooms[i]) == CODE_TOO_LONG)
            result = CODE_TOO_LONG;
        /* After an error, an unchanged length does not prove that the value was read. */
        if (attributes[i].ulValueLen > rooms[i] || (code != CKR_OK && attributes[i].ulValueLen == rooms[i]))
            attributes[i].ulValueLen = CK_UNAVAILABLE_INFORMATION;
    }
    return result;
}

CK_RV call_sign(
    struct module *module, CK_SESSION_HANDLE session, const unsigned char *data, size_t length, unsigned char *result,
    CK_ULONG *result_length) {
    CK_ULONG room = *result_length;
    CK_RV code = CALL(module, C_Sign, session, (CK_BYTE_PTR)data, (CK_ULONG)length, result, result_length);

    return within(code, "C_Sign", result_length, room);
}

CK_RV call_decrypt(
    struct module *module, CK_SESSION_HANDLE session, const unsigned char *data, size_t length, unsigned char *result,
    CK_ULONG *result_length) {
    CK_ULONG room = *result_length;
    CK_RV code = CALL(module, C_Decrypt, session, (CK_BYTE_PTR)data, (CK_ULONG)length, result, result_length);

    return within(code, "C_Decrypt", result_length, room);
}
