/* Which parts of frames show what moves before the scene (scene_layers.h). */
#include "scene_layers_inside.h"

/* Contents of a cell: not known, the scene, or something before the scene. */
enum { CELL_UNKNOWN, CELL_SCENE, CELL_HIDDEN };

typedef struct shown_cells {
    uint8_t cells[ENDO_LAYER_CELLS];
    int is_known; /* the frame shows both the scene and something before it */
} shown_cells;

/* Contents of the cells of a frame that is the reference of a pair with two motions; not known where it is unclear which of both
 * is the scene, or both are, in depth. */
static shown_cells shown_of(const scene_layers *s, int frame) {
    const frame_layers *f = &s->frames[frame];
    shown_cells shown = {.is_known = 0};
    if (f->stretch < 0) return shown;
    const layer_evidence *stretch = &s->stretches[f->stretch];
    int scene = layer_evidence_scene(stretch);
    if (scene == LAYER_NONE || stretch->pairs < LAYERS_ESTABLISHED || layer_evidence_is_depth(stretch)) return shown;
    for (int c = 0; c < s->columns * s->rows; c++)
        shown.cells[c] = !f->cells[c] ? CELL_UNKNOWN : f->cells[c] == scene ? CELL_SCENE : CELL_HIDDEN;
    shown.is_known = 1;
    return shown;
}

/* Contents of the cells of the last frame of a stretch, which no pair shows: hidden cells of its reference, moved on by the
 * motion of what is before the scene. */
static shown_cells moved_on(const scene_layers *s, const layered_edge *pair) {
    shown_cells before = shown_of(s, pair->taken.reference);
    shown_cells shown = {.is_known = before.is_known};
    if (!before.is_known) return shown;
    int is_taken = layer_evidence_scene(&s->stretches[pair->stretch]) == pair->layer;
    const endo_transform *front = is_taken ? &pair->other.transform : &pair->taken.transform;
    for (int c = 0; c < s->columns * s->rows; c++) {
        double x;
        double y;
        scene_layers_middle(s, c, &x, &y);
        int from = scene_layers_cell(s, pose_x(front, x, y), pose_y(front, x, y));
        if (from >= 0 && before.cells[from] == CELL_HIDDEN) shown.cells[c] = CELL_HIDDEN;
    }
    return shown;
}

/* Number of cells of the 3 x 3 around one that have the contents `what`. */
static int count_around(const scene_layers *s, const shown_cells *shown, int cell, int what) {
    int column = cell % s->columns;
    int row = cell / s->columns;
    int n = 0;
    for (int y = row - 1; y <= row + 1; y++)
        for (int x = column - 1; x <= column + 1; x++) {
            if (x < 0 || y < 0 || x >= s->columns || y >= s->rows) continue;
            n += shown->cells[y * s->columns + x] == what;
        }
    return n;
}

/* Cells of which nothing is known go with those around them; the border of what is hidden may lie in them. */
static endo_hiding hiding_of(const scene_layers *s, const shown_cells *shown, int cell) {
    if (shown->cells[cell] == CELL_HIDDEN) return ENDO_HIDDEN;
    if (shown->cells[cell] == CELL_SCENE) return ENDO_SHOWN;
    int hidden = count_around(s, shown, cell, CELL_HIDDEN);
    if (hidden > count_around(s, shown, cell, CELL_SCENE)) return ENDO_HIDDEN;
    return hidden > 0 ? ENDO_PARTLY_HIDDEN : ENDO_SHOWN;
}

static void mark(const scene_layers *s, const shown_cells *shown, endo_mosaic_frame *record) {
    if (!shown->is_known) return;
    record->hidden_columns = s->columns;
    record->hidden_rows = s->rows;
    for (int c = 0; c < s->columns * s->rows; c++) record->hidden[c] = (uint8_t)hiding_of(s, shown, c);
}

void scene_layers_mark(const scene_layers *s, frame_records *records) {
    for (int i = 0; i < records->n && i < s->n_frames; i++) {
        shown_cells shown = shown_of(s, i);
        mark(s, &shown, &records->items[i]);
    }
    for (int i = 0; i < s->n_edges; i++) {
        int frame = s->edges[i].taken.current;
        if (frame < s->n_frames && s->frames[frame].stretch != FRAME_UNKNOWN) continue;
        shown_cells shown = moved_on(s, &s->edges[i]);
        mark(s, &shown, &records->items[frame]);
    }
}
