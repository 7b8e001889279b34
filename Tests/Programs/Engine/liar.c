/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A module with false lengths and numbers, around another one, whose path is LIBRARY. A program that has loaded it
 * selects by liar_tell which of its functions lies, how, and about which attribute: at the question for a length, at the
 * value, or at both. liar_told counts lies.
 */
#include "around.h"

#include <limits.h>
#include <stdbool.h>

enum { SLOTS, OBJECTS, ATTRIBUTE, SIGN, DECRYPT, NOTHING };
enum { QUESTION = 1, VALUE = 2 };
int liar_told;
bool liar_hides_information;

static int lying = NOTHING, when, lie;
static CK_ATTRIBUTE_TYPE of;

void liar_tell(int function, CK_ATTRIBUTE_TYPE attribute, int phase, int number) {
    lying = function;
    of = attribute;
    when = phase;
    lie = number;
    liar_told = 0;
}

/* In every direction; room is the room that the caller has declared. */
static CK_ULONG other(CK_ULONG length, CK_ULONG room) {
    liar_told++;
    switch (lie) {
    case 0: return length + 1;
    case 1: return length - 1;
    case 2: return 0;
    case 3: return length / 2;
    case 4: return length * 2 + 2;
    case 5: return room + 1;
    case 6: return room;
    case 7: return 1 << 16;
    case 8: return INT_MAX;
    case 9: return length | 1UL << 32;
    case 10: return 1UL << 63;
    case 11: return CK_UNAVAILABLE_INFORMATION - 1;
    default: return CK_UNAVAILABLE_INFORMATION;
    }
}

static CK_RV get_slot_list(CK_BBOOL present, CK_SLOT_ID *slots, CK_ULONG *count) {
    CK_ULONG room = *count;
    CK_RV code = inner->C_GetSlotList(present, slots, count);

    if (code == CKR_OK && lying == SLOTS)
        *count = other(*count, room);
    return code;
}

static CK_RV find_objects(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE *objects, CK_ULONG room, CK_ULONG *count) {
    CK_RV code = inner->C_FindObjects(session, objects, room, count);

    if (code == CKR_OK && lying == OBJECTS)
        *count = other(*count, room);
    return code;
}

static CK_RV get_attribute_value(
    CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *attributes, CK_ULONG count) {
    CK_ULONG rooms[8];
    CK_RV code;

    for (CK_ULONG i = 0; i < count && i < 8; i++)
        rooms[i] = attributes[i].ulValueLen;
    if (liar_hides_information && attributes[0].type == CKA_PUBLIC_KEY_INFO) {
        attributes[0].ulValueLen = CK_UNAVAILABLE_INFORMATION;
        return CKR_ATTRIBUTE_TYPE_INVALID;
    }
    code = inner->C_GetAttributeValue(session, object, attributes, count);
    for (CK_ULONG i = 0; i < count && i < 8; i++)
        if (code == CKR_OK && lying == ATTRIBUTE && attributes[i].type == of
            && when & (attributes[i].pValue ? VALUE : QUESTION))
            attributes[i].ulValueLen = other(attributes[i].ulValueLen, rooms[i]);
    return code;
}

static CK_RV sign(CK_SESSION_HANDLE session, CK_BYTE *data, CK_ULONG length, CK_BYTE *result, CK_ULONG *result_length) {
    CK_ULONG room = *result_length;
    CK_RV code = inner->C_Sign(session, data, length, result, result_length);

    if (code == CKR_OK && lying == SIGN)
        *result_length = other(*result_length, room);
    return code;
}

static CK_RV decrypt(
    CK_SESSION_HANDLE session, CK_BYTE *data, CK_ULONG length, CK_BYTE *result, CK_ULONG *result_length) {
    CK_ULONG room = *result_length;
    CK_RV code = inner->C_Decrypt(session, data, length, result, result_length);

    if (code == CKR_OK && lying == DECRYPT)
        *result_length = other(*result_length, room);
    return code;
}

static void replace(void) {
    outer.C_GetSlotList = get_slot_list;
    outer.C_FindObjects = find_objects;
    outer.C_GetAttributeValue = get_attribute_value;
    outer.C_Sign = sign;
    outer.C_Decrypt = decrypt;
}
