/* SPDX-License-Identifier: Apache-2.0 */
/*
 * readers
 *
 * Prints the readers that pcscd knows, one a line, each with "card" or "empty" before its name. Exit status: 0, or 1 if
 * pcscd does not answer.
 */
#include <stdio.h>
#include <string.h>

#include <winscard.h>

int main(void) {
    static char names[4096];
    DWORD length = sizeof names;
    SCARDCONTEXT context;
    SCARD_READERSTATE reader;
    const char *name;

    if (SCardEstablishContext(SCARD_SCOPE_SYSTEM, NULL, NULL, &context) != SCARD_S_SUCCESS)
        return 1;
    if (SCardListReaders(context, NULL, names, &length) == SCARD_S_SUCCESS)
        for (name = names; *name; name += strlen(name) + 1) {
            memset(&reader, 0, sizeof reader);
            reader.szReader = name;
            if (SCardGetStatusChange(context, 0, &reader, 1) == SCARD_S_SUCCESS)
                printf("%-5s  %s\n", reader.dwEventState & SCARD_STATE_PRESENT ? "card" : "empty", name);
        }
    SCardReleaseContext(context);
    return 0;
}
