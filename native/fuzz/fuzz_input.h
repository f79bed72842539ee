/* Bytes read as arguments. At the end of the bytes everything is 0, so that every input has a meaning. */
#ifndef ENDO_FUZZ_INPUT_H
#define ENDO_FUZZ_INPUT_H

#include "include/endorama.h"

typedef struct fuzz_input {
    const uint8_t *bytes;
    size_t left;
} fuzz_input;

unsigned fuzz_byte(fuzz_input *in);
int fuzz_between(fuzz_input *in, int low, int high); /* inclusive */
int fuzz_one_in(fuzz_input *in, int n);

/* Mostly low..high, now and then a number around the limits or far beyond them. */
int fuzz_wild(fuzz_input *in, int low, int high);

/* Mostly low..high, now and then huge, NaN or infinite. */
double fuzz_real(fuzz_input *in, double low, double high);

/* A map of frame coordinates: mostly near the identity. */
endo_transform fuzz_transform(fuzz_input *in, int size);

/* Pixels of an image: exactly the bytes that its rows take, and none behind the last pixel. */
void *fuzz_image(fuzz_input *in, int width, int height, ptrdiff_t stride, size_t pixel_size);

/* Memory of exactly this size, filled with what an untouched output must still hold. Never NULL. */
void *fuzz_output(size_t bytes);
int fuzz_is_untouched(const void *output, size_t bytes);

/* Like fuzz_output(), between guards, which a build without a sanitizer checks, too; released by fuzz_release. */
void *fuzz_guarded(size_t bytes);
void fuzz_release(void *output, size_t bytes);

/* Ends the program, saying what was wrong, if the condition does not hold. */
void fuzz_require(int condition, const char *what);

/* Until it is called with 0: a hook may end calls, with ENDO_CANCELLED. */
void fuzz_allow_cancel(int allowed);

/* Requires what every function of the library promises: a failure leaves the output as it was and has a message. */
endo_status fuzz_checked(endo_status status, const void *output, size_t bytes, const char *function);

#endif
