/*
 * readers
 *
 * Prints the names of the readers that pcscd knows, one a line. Exit status: 0, or 1 if pcscd does not answer.
 */
#include <stdio.h>
#include <string.h>

#include <winscard.h>

int main(void) {
    static char names[4096];
    DWORD length = sizeof names;
    SCARDCONTEXT context;
    const char *name;

    if (SCardEstablishContext(SCARD_SCOPE_SYSTEM, NULL, NULL, &context) != SCARD_S_SUCCESS)
        return 1;
    if (SCardListReaders(context, NULL, names, &length) == SCARD_S_SUCCESS)
        for (name = names; *name; name += strlen(name) + 1)
            puts(name);
    SCardReleaseContext(context);
    return 0;
}
