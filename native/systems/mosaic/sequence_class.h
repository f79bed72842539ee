/* The class of transform that enough of the edges of a sequence ask for. */
#ifndef ENDO_MOSAIC_SEQUENCE_CLASS_H
#define ENDO_MOSAIC_SEQUENCE_CLASS_H

#include "edges.h"

endo_transform_class sequence_class(const mosaic_edges *edges);

#endif
