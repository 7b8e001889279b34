/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kanal.h - Kanal's additions to PKCS #11 and the vendor's extension.
 *
 * The functions C_KANAL_* are in no table, so that the vendor's keeps its layout. A program is linked with the library,
 * or looks them up by name with dlsym; a library that lacks them is a different one, or older.
 *
 * All return CKR_OK or an error code of PKCS #11. Like all functions, they require C_Initialize. Lists are taken in two
 * calls: NULL tells the number of elements, and so does CKR_BUFFER_TOO_SMALL. The list can change between the calls.
 *
 * All structures have natural alignment; offsets and sizes in the comments are those of a 64-bit Linux. Their sizes
 * never change. A later version gives names to parts of "reserved", which is zero until then. Unknown flags are to be
 * ignored.
 */
#ifndef KANAL_H
#define KANAL_H 1

#include "rtpkcs11.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------
 * Constants
 */

/* Profiles of the secure channel. Numbers that can be joined by OR. */
#define KANAL_PROFILE_CLASSIC 1UL
#define KANAL_PROFILE_MODERN 2UL

/* CK_KANAL_CHANNEL_INFO.ulState */
#define KANAL_CHANNEL_NONE 0UL        /* the token has no channel, or needs none here: commands go as they are */
#define KANAL_CHANNEL_ACTIVE 1UL      /* the channel is activated */
#define KANAL_CHANNEL_INACTIVE 2UL    /* the token wants C_EX_SetActivationPassword */
#define KANAL_CHANNEL_FORGOTTEN 3UL   /* it was activated and has forgotten this host: activate it again */
#define KANAL_CHANNEL_KEY_CHANGED 4UL /* another user activated it with a different key: activate it, too */
#define KANAL_CHANNEL_MISSING 5UL     /* it offers no channel, and is not used without: no password helps */
#define KANAL_CHANNEL_UNUSABLE 6UL    /* pairings, channel or configuration do not allow it: KANAL_LOG says why */

/* CK_KANAL_CHANNEL_INFO.flags. The token reports the last three unauthenticated. */
#define CKF_KANAL_ACTIVATION_NEEDED 0x00000001UL /* C_OpenSession is refused before C_EX_SetActivationPassword */
#define CKF_KANAL_WIRELESS 0x00000002UL          /* the token is reached over the air */
#define CKF_KANAL_BUTTON_NEEDED 0x00000004UL     /* a button has to be pressed to activate it */
#define CKF_KANAL_PAIRING_OPEN 0x00000008UL      /* it can be activated now */
#define CKF_KANAL_IN_USE 0x00000010UL            /* it has an open channel, of this program or another */

/* CK_KANAL_PASSWORD_INFO.ulState */
#define KANAL_PASSWORD_EMPTY 0UL     /* it has none with this number */
#define KANAL_PASSWORD_READY 1UL     /* it can be given */
#define KANAL_PASSWORD_BLOCKED 2UL   /* too many wrong ones in a row: the SO can reset that */
#define KANAL_PASSWORD_EXHAUSTED 3UL /* too many wrong ones in all: the token needs a new password */
#define KANAL_PASSWORD_CONSUMED 4UL  /* it was for one host, which has taken it */

/* CK_KANAL_PAIRED_HOST.flags */
#define CKF_KANAL_HOST_SELF 0x00000001UL   /* this host, in the profile of the channel */
#define CKF_KANAL_HOST_ACTIVE 0x00000002UL /* it has opened a channel since it was paired */

/* CK_KANAL_PAIRED_TOKEN.flags */
#define CKF_KANAL_TOKEN_KEY_CHANGED 0x00000001UL /* the store has a different key of it than this user knows */

/* CK_KANAL_READER.flags */
#define CKF_KANAL_READER_PRESENT 0x00000001UL         /* there is a card in it, of whatever kind */
#define CKF_KANAL_READER_WIRELESS 0x00000002UL        /* it reaches its card over the air */
#define CKF_KANAL_READER_CHANNEL_OFFERED 0x00000004UL /* the token has a secure channel */
#define CKF_KANAL_READER_CHANNEL_ACTIVE 0x00000008UL  /* it is activated for this user */
#define CKF_KANAL_READER_PIN_LOCKED 0x00000010UL      /* the user's PIN has no tries left */

/* ------------------------------------------------------------------------------------------------------------------
 * Structures
 */

/* An activation password that a token has a place for. 16 bytes. */
typedef struct CK_KANAL_PASSWORD_INFO {
    CK_ULONG ulState;     /* KANAL_PASSWORD_* */
    CK_ULONG ulTriesLeft; /* CK_UNAVAILABLE_INFORMATION if the token does not tell */
} CK_KANAL_PASSWORD_INFO;

/* The state of the secure channel to a token. 256 bytes. */
typedef struct CK_KANAL_CHANNEL_INFO {
    CK_ULONG ulState;         /* KANAL_CHANNEL_* */
    CK_FLAGS flags;           /* CKF_KANAL_ACTIVATION_NEEDED and the following */
    CK_ULONG ulProfiles;      /* those that the token offers, joined by OR; 0 without a channel */
    CK_ULONG ulProfile;       /* that of the pairing; 0 without one */
    CK_BYTE serialNumber[8];  /* big-endian; zeros if the token was not asked */
    CK_UTF8CHAR label[32];    /* as the token tells it without a channel, padded with blanks */
    CK_ULONG ulPasswordCount; /* the passwords that the token has a place for, 0 to 6 */
    CK_KANAL_PASSWORD_INFO passwords[6]; /* number 1 first: a password's first symbol is 1 to 6, or A to F for them */
    CK_BYTE reserved[80];
} CK_KANAL_CHANNEL_INFO;
typedef CK_KANAL_CHANNEL_INFO CK_PTR CK_KANAL_CHANNEL_INFO_PTR;

/* A host that a token is paired with, as the token tells. 128 bytes. */
typedef struct CK_KANAL_PAIRED_HOST {
    CK_ULONG ulIndex;   /* the number of the token's record, which a later host can get again */
    CK_ULONG ulProfile; /* KANAL_PROFILE_* */
    CK_FLAGS flags;     /* CKF_KANAL_HOST_* */
    CK_BYTE hostID[8];
    CK_UTF8CHAR label[32]; /* the host's name, padded with blanks */
    CK_BYTE reserved[64];
} CK_KANAL_PAIRED_HOST;
typedef CK_KANAL_PAIRED_HOST CK_PTR CK_KANAL_PAIRED_HOST_PTR;

/* A token that this user is paired with on this machine. Times are in seconds since 1970. 128 bytes. */
typedef struct CK_KANAL_PAIRED_TOKEN {
    CK_BYTE serialNumber[8]; /* big-endian */
    CK_ULONG ulProfile;      /* KANAL_PROFILE_* */
    CK_FLAGS flags;          /* CKF_KANAL_TOKEN_* */
    CK_BYTE hostID[8];       /* this host's, in the token's list */
    CK_ULONG ulCreated;
    CK_ULONG ulLastUsed;   /* to the day; CK_UNAVAILABLE_INFORMATION if it is not known */
    CK_UTF8CHAR label[32]; /* the token's when it was last used, padded with blanks */
    CK_BYTE reserved[48];
} CK_KANAL_PAIRED_TOKEN;
typedef CK_KANAL_PAIRED_TOKEN CK_PTR CK_KANAL_PAIRED_TOKEN_PTR;

/* A reader, for a list that people choose from. Texts are padded with blanks. 256 bytes. */
typedef struct CK_KANAL_READER {
    CK_SLOT_ID slotID;
    CK_FLAGS flags;           /* CKF_KANAL_READER_* */
    CK_UTF8CHAR nickname[32]; /* the name without maker and numbers, unlike all others' */
    CK_UTF8CHAR media[32];    /* "rutoken_ecp_" and the serial number; blank without a token, and before its activation */
    CK_UTF8CHAR name[128];
    CK_BYTE reserved[48];
} CK_KANAL_READER;
typedef CK_KANAL_READER CK_PTR CK_KANAL_READER_PTR;

/* ------------------------------------------------------------------------------------------------------------------
 * Functions
 */

#define CK_KANAL_DECLARE(name, arguments)      \
    typedef CK_RV(CK_PTR CK_##name) arguments; \
    CK_RV CK_SPEC name arguments

/* The state of the channel, without a session and without a failing C_OpenSession. An activated channel is opened as a
 * check, unless that took it from another program. CKR_TOKEN_NOT_PRESENT, CKR_ARGUMENTS_BAD. */
CK_KANAL_DECLARE(C_KANAL_GetChannelInfo, (CK_SLOT_ID slotID, CK_KANAL_CHANNEL_INFO_PTR pInfo));

/* The hosts that may open a channel to the token. Needs neither session nor login. CKR_FUNCTION_NOT_SUPPORTED if the
 * token is used without a channel, or is not activated. */
CK_KANAL_DECLARE(
    C_KANAL_GetPairedHosts, (CK_SLOT_ID slotID, CK_KANAL_PAIRED_HOST_PTR pHosts, CK_ULONG_PTR pulHostCount));

/* Has the token forget a host, given as the list told it; ulIndex, ulProfile and hostID count. Read-write session.
 * Removing this host needs no login: its pairing goes on both sides, and the program's sessions with the token end.
 * Removing another one: SO logged in, else CKR_USER_NOT_LOGGED_IN. CKR_OBJECT_HANDLE_INVALID if the token has no such
 * host any more; CKR_FUNCTION_FAILED if the token forgot this host, but the machine's part could not be removed. */
CK_KANAL_DECLARE(C_KANAL_RemovePairedHost, (CK_SESSION_HANDLE hSession, CK_KANAL_PAIRED_HOST_PTR pHost));

/* The tokens that this user is paired with on this machine, the youngest pairing first. No token need be there. A token
 * can be in the list more than once: in two profiles, or paired by several machines that share their pairings.
 * CKR_FUNCTION_FAILED if the pairings cannot be read. */
CK_KANAL_DECLARE(C_KANAL_GetPairedTokens, (CK_KANAL_PAIRED_TOKEN_PTR pTokens, CK_ULONG_PTR pulTokenCount));

/* Forgets the token with this serial number on this machine, in all profiles: C_OpenSession is refused until it is
 * activated again. The program's sessions with it end. The token keeps this host in its list. CKR_OBJECT_HANDLE_INVALID
 * without a pairing with it, CKR_ARGUMENTS_BAD if ulSerialNumberLen is not 8, CKR_FUNCTION_FAILED if the pairings
 * cannot be changed. */
CK_KANAL_DECLARE(C_KANAL_RemovePairedToken, (CK_BYTE_PTR pSerialNumber, CK_ULONG ulSerialNumberLen));

/* All readers, in the order of their slots, with what their tokens tell without a PIN. A token that another call of the
 * program works with is waited for. */
CK_KANAL_DECLARE(C_KANAL_GetReaders, (CK_KANAL_READER_PTR pReaders, CK_ULONG_PTR pulReaderCount));

#undef CK_KANAL_DECLARE

#if defined(__cplusplus)
}
#endif

#endif /* KANAL_H */
