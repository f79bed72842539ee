/* Devices that are none: each computes as the CPU does, in memory of its own, and knows only the frames that it was given.
 * With them the work of several devices is tested where there is no GPU. */
#ifndef ENDO_TEST_FAKE_DEVICES_H
#define ENDO_TEST_FAKE_DEVICES_H

#include "backend/kernels.h"

/* Counts of what a device did, and the call that it is to fail at; -1: none. */
typedef struct fake_device {
    int puts, fetched, lent; /* frames */
    int calls;               /* of batches */
    size_t requests;         /* in them */
} fake_device;

typedef struct fake_devices {
    fake_device each[ENDO_MAX_DEVICES];
    int fails_to_open, fails_to_create, fails_to_put, fails_to_fetch, fails_to_compute; /* a device's number */
} fake_devices;

extern fake_devices fakes;

/* Nothing was done, and nothing fails. */
void fake_devices_reset(void);

/* A back end over several fake devices; the options say how many. */
extern const endo_kernels endo_kernels_fakes;

#endif
