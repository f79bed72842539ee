/* The version of the library. */
#include "include/endorama.h"

const char *endo_version(void) { return ENDO_VERSION; }
int endo_abi(void) { return ENDO_ABI; }
