/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pairings channel SLOT | hosts SLOT | remove SLOT self | remove SLOT other [SO-PIN] | tokens | forget SERIAL | readers
 *
 * Shows and removes pairings, and shows readers, by Kanal's own functions. The channel's line has its state, whether it requires
 * activation, the profile, and the tries that the first password has left. A line for each host: its number, its
 * profile, its kind, its name; for each token: serial number, profile, label; for each reader: its slot, flags, media,
 * nickname. Exit status: 0 done; 1 refused, with the
 * code; 2 a rule is broken.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kanal.h>

enum { MOST = 32 };

static CK_KANAL_PAIRED_HOST hosts[MOST];
static CK_KANAL_PAIRED_TOKEN tokens[MOST];
static CK_KANAL_READER readers[MOST];

static void require(int holds, const char *what) {
    if (!holds) {
        printf("%s\n", what);
        exit(2);
    }
}

static void done(CK_RV code) {
    if (code != CKR_OK) {
        printf("0x%lX\n", code);
        exit(1);
    }
}

static int is_zero(const CK_BYTE *bytes, size_t count) {
    while (count > 0 && *bytes == 0)
        bytes++, count--;
    return count == 0;
}

/* The two-call rule: the number, a place that is too short, the elements. */
#define LIST(elements, count, CALL)                                                             \
    do {                                                                                        \
        CK_ULONG number = 77;                                                                   \
        void *place = NULL;                                                                     \
        count = 0;                                                                              \
        done(CALL);                                                                             \
        number = count;                                                                         \
        require(number < MOST, "more than any list has");                                       \
        place = elements;                                                                       \
        if (number > 0) {                                                                       \
            count = number - 1;                                                                 \
            require(CALL == CKR_BUFFER_TOO_SMALL && count == number, "a place that is short");  \
            require(is_zero((CK_BYTE *)elements, sizeof *elements), "a result where none fits"); \
        }                                                                                       \
        count = MOST;                                                                           \
        done(CALL);                                                                             \
        require(count == number, "the number of elements");                                     \
    } while (0)

static void show_channel(CK_SLOT_ID slot) {
    CK_KANAL_CHANNEL_INFO info;

    memset(&info, 0x55, sizeof info);
    done(C_KANAL_GetChannelInfo(slot, &info));
    require(is_zero(info.reserved, sizeof info.reserved), "what is reserved is not zero");
    require(info.ulPasswordCount <= 6, "the number of passwords");
    printf("%lu %s %lu %ld\n", info.ulState, info.flags & CKF_KANAL_ACTIVATION_NEEDED ? "activate" : "-",
           info.ulProfile, info.ulPasswordCount > 0 ? (long)info.passwords[0].ulTriesLeft : -1L);
}

static CK_ULONG list_hosts(CK_SLOT_ID slot) {
    CK_ULONG count, i;

    LIST(hosts, count, C_KANAL_GetPairedHosts(slot, place, &count));
    for (i = 0; i < count; i++) {
        require(is_zero(hosts[i].reserved, sizeof hosts[i].reserved), "what is reserved is not zero");
        printf("%lu %lu %s%s%.32s\n", hosts[i].ulIndex, hosts[i].ulProfile,
               hosts[i].flags & CKF_KANAL_HOST_SELF ? "self " : "other ",
               hosts[i].flags & CKF_KANAL_HOST_ACTIVE ? "" : "pending ", hosts[i].label);
    }
    return count;
}

static void remove_host(CK_SLOT_ID slot, int self, const char *pin) {
    CK_ULONG count = list_hosts(slot), i;
    CK_SESSION_HANDLE session;
    CK_SESSION_INFO info;

    done(C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session));
    if (pin)
        done(C_Login(session, CKU_SO, (CK_UTF8CHAR_PTR)pin, strlen(pin)));
    for (i = 0; i < count; i++)
        if (!(hosts[i].flags & CKF_KANAL_HOST_SELF) == !self)
            break;
    require(i < count, "there is no such host");
    done(C_KANAL_RemovePairedHost(session, &hosts[i]));
    if (self) {
        require(C_GetSessionInfo(session, &info) == CKR_SESSION_HANDLE_INVALID, "the session has not ended");
        require(C_OpenSession(slot, CKF_SERIAL_SESSION, NULL, NULL, &session) == CKR_FUNCTION_NOT_SUPPORTED,
                "a session without a pairing");
    } else {
        require(C_KANAL_RemovePairedHost(session, &hosts[i]) == CKR_OBJECT_HANDLE_INVALID, "a host that is gone");
        hosts[i].ulProfile = 3;
        require(C_KANAL_RemovePairedHost(session, &hosts[i]) == CKR_ARGUMENTS_BAD, "a profile that is none");
    }
}

static void list_tokens(void) {
    CK_ULONG count, i, j;

    LIST(tokens, count, C_KANAL_GetPairedTokens(place, &count));
    for (i = 0; i < count; i++) {
        require(is_zero(tokens[i].reserved, sizeof tokens[i].reserved), "what is reserved is not zero");
        require(tokens[i].ulCreated > 1600000000UL && tokens[i].ulCreated < 9999999999UL, "the time of pairing");
        for (j = 0; j < sizeof tokens[i].serialNumber; j++)
            printf("%02x", tokens[i].serialNumber[j]);
        printf(" %lu %.32s\n", tokens[i].ulProfile, tokens[i].label);
    }
}

static void list_readers(void) {
    CK_ULONG count, i;
    CK_SLOT_INFO info;

    LIST(readers, count, C_KANAL_GetReaders(place, &count));
    for (i = 0; i < count; i++) {
        require(is_zero(readers[i].reserved, sizeof readers[i].reserved), "what is reserved is not zero");
        done(C_GetSlotInfo(readers[i].slotID, &info));
        require(memcmp(readers[i].name, info.slotDescription, sizeof info.slotDescription) == 0, "a slot's description");
        printf("%lu %lu %.32s %.32s\n", readers[i].slotID, readers[i].flags, readers[i].media, readers[i].nickname);
    }
}

static void forget(const char *text) {
    unsigned long long number = strtoull(text, NULL, 16);
    CK_BYTE serial[8];
    int i;

    for (i = 0; i < 8; i++)
        serial[i] = (CK_BYTE)(number >> (8 * (7 - i)));
    done(C_KANAL_RemovePairedToken(serial, sizeof serial));
    require(C_KANAL_RemovePairedToken(serial, sizeof serial) == CKR_OBJECT_HANDLE_INVALID, "a token that is forgotten");
}

int main(int argc, char **argv) {
    CK_SLOT_ID slot = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    const char *command = argc > 1 ? argv[1] : "";

    done(C_Initialize(NULL));
    if (strcmp(command, "channel") == 0 && argc == 3)
        show_channel(slot);
    else if (strcmp(command, "hosts") == 0 && argc == 3)
        list_hosts(slot);
    else if (strcmp(command, "remove") == 0 && argc > 3)
        remove_host(slot, strcmp(argv[3], "self") == 0, argc > 4 ? argv[4] : NULL);
    else if (strcmp(command, "tokens") == 0)
        list_tokens();
    else if (strcmp(command, "readers") == 0)
        list_readers();
    else if (strcmp(command, "forget") == 0 && argc == 3)
        forget(argv[2]);
    else
        require(0, "usage: pairings channel|hosts|remove|tokens|forget|readers ...");
    done(C_Finalize(NULL));
    return 0;
}
