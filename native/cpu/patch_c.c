/* The loops over patches in plain C. */
#include "patch_rows.h"

const cpu_patch_loops cpu_patch_c = {patch_halve, patch_halve_mask, patch_less, patch_smooth, patch_rows, patch_add};
