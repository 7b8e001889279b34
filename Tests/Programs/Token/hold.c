/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold
 *
 * Holds the card in the first reader for itself, as scdaemon does, until it is ended. Prints "held" once it has it. Exit
 * status: 1 if it does not get it.
 */
#include <stdio.h>
#include <unistd.h>

#include <winscard.h>

int main(void) {
    static char names[4096];
    DWORD length = sizeof names, protocol;
    SCARDCONTEXT context;
    SCARDHANDLE card;

    if (SCardEstablishContext(SCARD_SCOPE_SYSTEM, NULL, NULL, &context) != SCARD_S_SUCCESS
        || SCardListReaders(context, NULL, names, &length) != SCARD_S_SUCCESS
        || SCardConnect(context, names, SCARD_SHARE_EXCLUSIVE, SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1, &card, &protocol)
            != SCARD_S_SUCCESS)
        return 1;
    puts("held");
    fflush(stdout);
    for (;;)
        pause();
}
