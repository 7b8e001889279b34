/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A module with more than there is room for at first, around another one, whose path is LIBRARY: 600 private keys that were not
 * made, before the real ones, of which C_FindObjects gives one at a time; and 70 slots with tokens that were never initialised,
 * before the real ones.
 */
#include "around.h"

#include <string.h>

enum { KEYS = 600, SLOTS = 70 };
#define FIRST_KEY 0x7F000000UL
#define FIRST_SLOT 0x7F000000UL
static unsigned long given;

static CK_RV get_slot_list(CK_BBOOL present, CK_SLOT_ID *list, CK_ULONG *count) {
    CK_ULONG room = *count, real = room > SLOTS ? room - SLOTS : 0;
    CK_RV code = inner->C_GetSlotList(present, list && real ? list + SLOTS : NULL, &real);

    *count = real + SLOTS;
    if (!list)
        return code;
    if (room < *count)
        return CKR_BUFFER_TOO_SMALL;
    for (CK_ULONG i = 0; i < SLOTS; i++)
        list[i] = FIRST_SLOT + i;
    return code;
}

static CK_RV get_slot_info(CK_SLOT_ID slot, CK_SLOT_INFO *info) {
    if (slot < FIRST_SLOT)
        return inner->C_GetSlotInfo(slot, info);
    memset(info, 0, sizeof *info);
    memset(info->slotDescription, ' ', sizeof info->slotDescription);
    memset(info->manufacturerID, ' ', sizeof info->manufacturerID);
    return CKR_OK;
}

static CK_RV get_token_info(CK_SLOT_ID slot, CK_TOKEN_INFO *info) {
    if (slot < FIRST_SLOT)
        return inner->C_GetTokenInfo(slot, info);
    memset(info, 0, sizeof *info);
    memset(info->label, ' ', sizeof info->label);
    memset(info->manufacturerID, ' ', sizeof info->manufacturerID);
    memset(info->model, ' ', sizeof info->model);
    memset(info->serialNumber, ' ', sizeof info->serialNumber);
    return CKR_OK;
}

static CK_RV find_objects_init(CK_SESSION_HANDLE session, CK_ATTRIBUTE *query, CK_ULONG count) {
    CK_OBJECT_CLASS wanted = 0;

    if (count > 0 && query[0].type == CKA_CLASS && query[0].ulValueLen == sizeof wanted)
        memcpy(&wanted, query[0].pValue, sizeof wanted);
    given = wanted == CKO_PRIVATE_KEY ? 0 : KEYS;
    return inner->C_FindObjectsInit(session, query, count);
}

static CK_RV find_objects(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE *objects, CK_ULONG room, CK_ULONG *count) {
    if (given == KEYS || room == 0)
        return inner->C_FindObjects(session, objects, room ? 1 : 0, count);
    *count = room < KEYS - given ? room : KEYS - given;
    for (CK_ULONG i = 0; i < *count; i++)
        objects[i] = FIRST_KEY + given++;
    return CKR_OK;
}

static CK_RV get_attribute_value(
    CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *attributes, CK_ULONG count) {
    if (object < FIRST_KEY)
        return inner->C_GetAttributeValue(session, object, attributes, count);
    attributes[0].ulValueLen = (CK_ULONG)-1;
    return CKR_ATTRIBUTE_TYPE_INVALID;
}

static void replace(void) {
    outer.C_GetSlotList = get_slot_list;
    outer.C_GetSlotInfo = get_slot_info;
    outer.C_GetTokenInfo = get_token_info;
    outer.C_FindObjectsInit = find_objects_init;
    outer.C_FindObjects = find_objects;
    outer.C_GetAttributeValue = get_attribute_value;
}
