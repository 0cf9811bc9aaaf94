/* The header alone, before any other, and once more. */
#include "ilt.h"

#include "ilt.h"

extern const char* (*version)(void);
const char* (*version)(void) = ilt_version_string;
