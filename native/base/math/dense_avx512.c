/* The loops over dense matrices in AVX-512. */
#define DENSE_LANES 8
#define DENSE_VECTORS 3
#define DENSE_COLUMNS 8
#include "dense_rows.h"

const dense_loops dense_avx512 = {dense_add_product, dense_decompose, dense_divide};
