/* The loops over dense matrices in AVX2. */
#define DENSE_LANES 4
#define DENSE_VECTORS 2
#define DENSE_COLUMNS 4
#include "dense_rows.h"

const dense_loops dense_avx2 = {dense_add_product, dense_decompose, dense_divide};
