/* What this machine's processor can run. */
#ifndef ENDO_BASE_PROCESSOR_H
#define ENDO_BASE_PROCESSOR_H

/* AVX2 and FMA. */
int endo_has_avx2(void);

/* That and AVX-512 F, BW, VL, DQ, VNNI: what files named *_avx512.c are compiled for. */
int endo_has_avx512(void);

/* And VBMI, which functions ask for that want it. */
int endo_has_avx512_vbmi(void);

#endif
