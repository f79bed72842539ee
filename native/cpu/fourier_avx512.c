/* The loops of Fourier registration in AVX-512. */
#include "fourier_rows.h"

const cpu_fourier_loops cpu_fourier_avx512 = {FOURIER_LOOPS};
