/* Pairs are counted, then cut into runs (share.h). */
#include "share.h"

#include <string.h>

typedef struct request_list {
    const uint8_t *bytes;
    size_t n, size;
} request_list;

static const int32_t *slots_of(const request_list *all, size_t i) {
    return (const int32_t *)(const void *)(all->bytes + i * all->size);
}

/* Where the requests end that have the same two slots as the first. */
static size_t end_of_pair(const request_list *all, size_t first) {
    const int32_t *slots = slots_of(all, first);
    size_t end = first + 1;
    while (end < all->n && memcmp(slots, slots_of(all, end), 2 * sizeof *slots) == 0) end++;
    return end;
}

static size_t count_pairs(const request_list *all) {
    size_t pairs = 0;
    for (size_t i = 0; i < all->n; i = end_of_pair(all, i)) pairs++;
    return pairs;
}

/* Run r gets the pairs from pairs * r / devices on. at_home: of each device that run 0 may go to, the pairs that are then
 * at home. */
static void cut(const request_list *all, size_t pairs, int devices, endo_share_run *runs, size_t *at_home) {
    size_t pair = 0;
    int run = 0;
    for (size_t i = 0, end; i < all->n; i = end, pair++) {
        end = end_of_pair(all, i);
        while (pair >= pairs * (size_t)(run + 1) / (size_t)devices) runs[++run].first = i;
        runs[run].n = end - runs[run].first;
        at_home[(endo_share_home(slots_of(all, i)[1], devices) + devices - run) % devices]++;
    }
}

void endo_share_out(const void *requests, size_t n, size_t size, int devices, endo_share_run shares[ENDO_MAX_DEVICES]) {
    request_list all = {requests, n, size};
    endo_share_run runs[ENDO_MAX_DEVICES] = {{0, 0}};
    size_t at_home[ENDO_MAX_DEVICES] = {0};
    int best = 0;
    cut(&all, count_pairs(&all), devices, runs, at_home);
    for (int i = 1; i < devices; i++)
        if (at_home[i] > at_home[best]) best = i;
    for (int run = 0; run < devices; run++) shares[(best + run) % devices] = runs[run];
}
