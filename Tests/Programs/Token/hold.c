/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold [transaction|handles|contexts]
 *
 * Holds the card in the first reader until it is ended: for itself, as scdaemon does; in a transaction; or by as many
 * handles, or contexts, as pcscd allows. Prints "held" once it has it. Exit status: 1 if it does not get it.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <winscard.h>

static char names[4096];
static SCARDCONTEXT context;

static LONG establish(void) { return SCardEstablishContext(SCARD_SCOPE_SYSTEM, NULL, NULL, &context); }

static LONG connect_card(DWORD mode, SCARDHANDLE *card) {
    DWORD protocol;
    return SCardConnect(context, names, mode, SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1, card, &protocol);
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "";
    DWORD length = sizeof names;
    SCARDHANDLE card;
    int count = 0;

    if (establish() != SCARD_S_SUCCESS || SCardListReaders(context, NULL, names, &length) != SCARD_S_SUCCESS) return 1;
    if (!strcmp(way, "contexts")) {
        for (count = 1; count < 1000 && establish() == SCARD_S_SUCCESS;) count++;
    } else if (!strcmp(way, "handles")) {
        while (count < 1000 && connect_card(SCARD_SHARE_SHARED, &card) == SCARD_S_SUCCESS) count++;
    } else if (!strcmp(way, "transaction")) {
        count = connect_card(SCARD_SHARE_SHARED, &card) == SCARD_S_SUCCESS
            && SCardBeginTransaction(card) == SCARD_S_SUCCESS;
    } else {
        count = connect_card(SCARD_SHARE_EXCLUSIVE, &card) == SCARD_S_SUCCESS;
    }
    if (!count || count == 1000) return 1;
    printf("held: %d\n", count);
    fflush(stdout);
    for (;;)
        pause();
}
