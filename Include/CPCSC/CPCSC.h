#include <winscard.h>
