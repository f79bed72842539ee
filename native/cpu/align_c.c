/* The alignment's inner loops in plain C. */
#include "align_rows.h"

/* 64 products of |numbers| <= 4080 stay below 2^31. */
static int32_t dot(const int16_t *a, const int16_t *b) {
    int32_t sum = 0;
    for (int i = 0; i < ALIGN_BLOCK; i++) sum += (int32_t)a[i] * b[i];
    return sum;
}

static int32_t sum_of(const int16_t *a) {
    int32_t sum = 0;
    for (int i = 0; i < ALIGN_BLOCK; i++) sum += a[i];
    return sum;
}

static void add_products(const align_list *list, endo_align_sums *s) {
    for (int at = 0; at < list->n; at += ALIGN_BLOCK)
        for (int i = 0; i < ENDO_ALIGN_NUMBERS; i++) {
            s->sum[i] += sum_of(list->numbers[i] + at);
            for (int k = i; k < ENDO_ALIGN_NUMBERS; k++)
                s->product[endo_align_index(i, k)] += dot(list->numbers[i] + at, list->numbers[k] + at);
        }
}

static void add_rows(const cpu_align_rows *rows, endo_align_sums *sums) { add_listed(rows, add_products, sums); }

const cpu_align_loops cpu_align_c = {.add_rows = add_rows};
