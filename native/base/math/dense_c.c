/* The loops over dense matrices in plain C. */
#define DENSE_LANES 2
#define DENSE_VECTORS 2
#define DENSE_COLUMNS 4
#include "dense_rows.h"

const dense_loops dense_c = {dense_add_product, dense_decompose, dense_divide};
