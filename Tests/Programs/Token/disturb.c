/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disturb what [count]
 *
 * Does to the card in the first reader, over PC/SC, what other programs do:
 *
 *   reset           Connects, and resets the card at its end.
 *   unpower         Connects, and cuts the card's power at its end, as programs with pyscard do.
 *   transaction     Keeps a transaction until standard input ends, and leaves the card as it is then.
 *   connections N   Keeps as many connections to the card, until standard input ends.
 *   contexts N      Keeps as many contexts of the service, until standard input ends.
 *
 * Waits for another program's transaction. Prints the word when it has done so, or keeps that. A word and a number mean that
 * the service allowed no more. Exit status: 1 if it could not begin.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <winscard.h>

static SCARDCONTEXT context;
static char names[4096];

static LONG connect_card(SCARDHANDLE *card) {
    DWORD protocol;
    return SCardConnect(context, names, SCARD_SHARE_SHARED, SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1, card, &protocol);
}

/* For 20 seconds at most while another program has a transaction. */
static LONG leave_card(SCARDHANDLE card, DWORD disposition) {
    LONG code = SCARD_E_SHARING_VIOLATION;
    for (int i = 0; i < 4000 && code == SCARD_E_SHARING_VIOLATION; i++) {
        code = SCardDisconnect(card, disposition);
        if (code == SCARD_E_SHARING_VIOLATION)
            usleep(5000);
    }
    return code;
}

static void say_and_wait(const char *word, int count, int wanted) {
    char byte;
    if (count < wanted)
        printf("%s %d\n", word, count);
    else
        puts(word);
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
}

int main(int argc, char **argv) {
    DWORD length = sizeof names;
    SCARDHANDLE card;
    const char *word = argc > 1 ? argv[1] : "";
    int wanted = argc > 2 ? atoi(argv[2]) : 0, count = 0;

    if (SCardEstablishContext(SCARD_SCOPE_SYSTEM, NULL, NULL, &context) != SCARD_S_SUCCESS
        || SCardListReaders(context, NULL, names, &length) != SCARD_S_SUCCESS)
        return 1;
    if (strcmp(word, "contexts") == 0) {
        SCARDCONTEXT other;
        for (count = 1; count < wanted; count++)
            if (SCardEstablishContext(SCARD_SCOPE_SYSTEM, NULL, NULL, &other) != SCARD_S_SUCCESS)
                break;
        say_and_wait(word, count, wanted);
        return 0;
    }
    if (connect_card(&card) != SCARD_S_SUCCESS)
        return 1;
    if (strcmp(word, "connections") == 0) {
        SCARDHANDLE other;
        for (count = 1; count < wanted; count++)
            if (connect_card(&other) != SCARD_S_SUCCESS)
                break;
        say_and_wait(word, count, wanted);
        return 0;
    }
    if (strcmp(word, "transaction") == 0) {
        if (SCardBeginTransaction(card) != SCARD_S_SUCCESS)
            return 1;
        say_and_wait(word, 0, 0);
        SCardEndTransaction(card, SCARD_LEAVE_CARD);
        SCardDisconnect(card, SCARD_LEAVE_CARD);
        return 0;
    }
    if (strcmp(word, "reset") != 0 && strcmp(word, "unpower") != 0)
        return 1;
    if (leave_card(card, word[0] == 'u' ? SCARD_UNPOWER_CARD : SCARD_RESET_CARD) != SCARD_S_SUCCESS)
        return 1;
    puts(word);
    return 0;
}
