/* The perspective that an edge shows is mostly noise, which the next edge does not repeat; a scope moves steadily, and the tilt
 * that it sees changes slowly. So each edge along a chain is multiplied with the few before it, but not with the adjacent one,
 * which shares a frame with it and errs to the other side. For independent errors the sum of these products, over the root of
 * the sum of their squares, is a standard normal deviate.
 *
 * A few edges have few products. There perspective counts if it moves a frame by several times as much as the errors of the
 * edges would. And a plane that is passed at a constant angle is seen by its shear long before any perspective shows
 * (passed_plane.h). */
#include "perspective_check.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "adjacency.h"
#include "numbers.h"

/* Edges before an edge that it is multiplied with, from the last but one on. */
#define BEFORE 3
/* The perspective of an edge counts as this many of its deviations at most. */
#define MOST 3
/* Least number of deviations of a sequence that shows perspective. */
#define SURE 4
/* Least displacement of a frame by perspective that is reported, px of the first frame. */
#define TOLD 3
/* Number of edges below which large displacements of frames decide. */
#define FEW 30

/* Weights of Gauss-Legendre quadrature over a frame: three points along each side. */
static const double gauss_weights[3] = {5 / 18.0, 8 / 18.0, 5 / 18.0};

struct perspective_check {
    const endo_mosaic_frame *frames;
    int n;
    const mosaic_edges *edges;
    mosaic_size size;
    adjacency of_frames;
    const endo_mosaic_edge **steps; /* one a frame: edge by which it joined its chain, if that shows perspective; else NULL */
    double agreement;               /* deviation of edges along chains from independence; 0: unknown */
    passed_plane plane;
    int is_short;      /* few edges show perspective */
    double surest; /* largest displacement of a frame by perspective, over that by the errors of the edges on the way to it */
    double *distance;  /* one a frame: displacement by perspective, px of the first frame of its component */
    double *passed;    /* one a frame: displacement where perspective follows from the passed plane */
};

static int is_step(const perspective_check *c, const endo_mosaic_edge *edge) {
    return c->frames[edge->current].reference == edge->reference;
}

static int says(const endo_mosaic_edge *edge) {
    return edge_says_perspective(edge) && !edge->doubtful && !pose_is_homography(&edge->transform);
}

/* --------------------------------------------------------------------- evidence */

static void in_deviations(const endo_mosaic_edge *edge, double out[2]) {
    const double *g = edge->perspective;
    double length = length_of(g[0], g[1]) / edge->perspective_deviation;
    double factor = lesser_of(1, MOST / length) / edge->perspective_deviation;
    out[0] = length > 0 ? g[0] * factor : 0;
    out[1] = length > 0 ? g[1] * factor : 0;
}

static double with_earlier(const perspective_check *c, const endo_mosaic_edge *step) {
    double current[2];
    double sum = 0;
    const endo_mosaic_edge *neighbour = c->steps[step->reference];
    const endo_mosaic_edge *before = neighbour ? c->steps[neighbour->reference] : NULL;
    in_deviations(step, current);
    for (int i = 0; i < BEFORE && before; i++) {
        double other[2];
        in_deviations(before, other);
        sum += current[0] * other[0] + current[1] * other[1];
        before = c->steps[before->reference];
    }
    return sum;
}

static double agreement_of(const perspective_check *c) {
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < c->n; i++) {
        if (!c->steps[i]) continue;
        double product = with_earlier(c, c->steps[i]);
        sum += product;
        squares += product * product;
    }
    return squares > 0 ? sum / sqrt(squares) : 0;
}

/* Returns whether the edges' own perspective is significant. */
static int is_seen(const perspective_check *c) {
    return greater_of(c->agreement, c->surest) >= SURE;
}

double perspective_check_evidence(const perspective_check *c) {
    int by_itself = is_seen(c) || !passed_plane_is_sure(&c->plane);
    return by_itself ? greater_of(c->agreement, c->surest) : passed_plane_evidence(&c->plane);
}

/* Fills `steps` and returns how many frames have one. */
static int find_steps(perspective_check *c) {
    int n = 0;
    for (int i = 0; i < c->edges->n; i++) {
        const endo_mosaic_edge *edge = &c->edges->items[i];
        if (!is_step(c, edge) || !says(edge)) continue;
        n += c->steps[edge->current] == NULL;
        c->steps[edge->current] = edge;
    }
    return n;
}

static endo_status prepare(perspective_check *c) {
    size_t n = (size_t)c->n;
    c->steps = endo_alloc_zeroed(n, sizeof *c->steps);
    c->distance = endo_alloc_zeroed(n, sizeof *c->distance);
    c->passed = endo_alloc_zeroed(n, sizeof *c->passed);
    if (!c->steps || !c->distance || !c->passed)
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the perspective of %d frames", c->n);
    ENDO_TRY(adjacency_of(c->edges, c->n, &c->of_frames));
    return passed_plane_of(c->edges, c->size, &c->plane);
}

endo_status perspective_check_create(const endo_mosaic_frame *frames, int n, const mosaic_edges *edges, mosaic_size size,
                                     perspective_check **out) {
    perspective_check *c = endo_alloc_zeroed(1, sizeof *c);
    if (!c) return endo_fail(ENDO_ERR_MEMORY, "no memory for the perspective of %d frames", n);
    c->frames = frames;
    c->n = n;
    c->edges = edges;
    c->size = size;
    endo_status status = prepare(c);
    if (status != ENDO_OK) {
        perspective_check_destroy(&c);
        return status;
    }
    c->is_short = find_steps(c) <= FEW;
    c->agreement = agreement_of(c);
    *out = c;
    return ENDO_OK;
}

void perspective_check_destroy(perspective_check **check) {
    perspective_check *c = *check;
    if (!c) return;
    adjacency_free(&c->of_frames);
    endo_free(c->steps);
    endo_free(c->distance);
    endo_free(c->passed);
    endo_free(c);
    *check = NULL;
}

/* -------------------------------------------------------------------- distances */

/* A path to a frame, through the transforms of edges and through their homographies. */
typedef struct check_path {
    endo_transform straight;
    endo_transform tilted;
    int before; /* frame before on the path; -1: it begins here */
    int reached;
    double deviation; /* of the last edge's perspective, 1/px, at least 1/MOST of the perspective; 0: unknown */
} check_path;

/* Paths to all frames, and queues of frames whose edges are still to be followed, in the order in which they were reached. */
typedef struct check_paths {
    check_path *items;
    int *reached; /* for the edges of chains, which are followed first */
    int *left;    /* for the other edges */
} check_paths;

/* The transform was fitted to what the edge shows; a tilted plane is on average nearer in the direction of g, by the mean of q
 * (g.q) over the frame. */
endo_transform perspective_homography(const endo_transform *step, const double g[2], mosaic_size size) {
    endo_transform mean = pose_translation(g[0] * size.width * size.width / 12, g[1] * size.height * size.height / 12);
    endo_transform tilt = pose_perspective(g, (size.width - 1) / 2.0, (size.height - 1) / 2.0);
    endo_transform nearer = pose_times(step, &mean);
    return pose_times(&nearer, &tilt);
}

/* The perspective of an edge by itself, or by the passed plane; 0: it shows none. */
static int perspective_of(const perspective_check *c, const endo_mosaic_edge *edge, int by_plane, edge_perspective *out) {
    if (by_plane ? pose_is_homography(&edge->transform) : !says(edge)) return 0;
    *out = by_plane ? passed_plane_perspective(&c->plane, &edge->transform)
                    : (edge_perspective){
                          .g = {edge->perspective[0], edge->perspective[1]},
                          .deviation = edge->perspective_deviation,
                      };
    return 1;
}

static endo_transform led_on(const endo_transform *to, const endo_transform *step, int onward) {
    endo_transform back;
    if (onward) return pose_times(to, step);
    back = pose_inverse(step);
    return pose_times(to, &back);
}

static check_path go_on(const perspective_check *c, const check_paths *paths, int from, const endo_mosaic_edge *edge,
                        int by_plane) {
    edge_perspective said;
    const check_path *path = &paths->items[from];
    int is_said = perspective_of(c, edge, by_plane, &said);
    int onward = edge->reference == from;
    endo_transform tilted = is_said ? perspective_homography(&edge->transform, said.g, c->size) : edge->transform;
    return (check_path){
        .straight = led_on(&path->straight, &edge->transform, onward),
        .tilted = led_on(&path->tilted, &tilted, onward),
        .before = from,
        .reached = 1,
        .deviation = is_said ? greater_of(said.deviation, length_of(said.g[0], said.g[1]) / MOST) : 0,
    };
}

/* Displacement between both paths, px: root mean square over the frame; across the horizon the frame's diagonal or more. */
static double between(const perspective_check *c, const check_path *path, double before) {
    mosaic_size size = c->size;
    double root = sqrt(0.6);
    double sum = 0;
    if (!frame_is_before_horizon(size, &path->tilted)) return greater_of(before, length_of(size.width, size.height));
    for (int k = 0; k < 9; k++) {
        double x = (size.width - 1) / 2.0 + (k % 3 - 1) * root * size.width / 2;
        double y = (size.height - 1) / 2.0 + (k / 3 - 1) * root * size.height / 2;
        double dx = pose_x(&path->straight, x, y) - pose_x(&path->tilted, x, y);
        double dy = pose_y(&path->straight, x, y) - pose_y(&path->tilted, x, y);
        sum += gauss_weights[k % 3] * gauss_weights[k / 3] * (dx * dx + dy * dy);
    }
    return sqrt(sum);
}

/* Follows edges of chains before the others. */
static void follow_all(const perspective_check *c, const check_paths *paths, int first, int by_plane, double *distance) {
    int n_reached = 0;
    int n_left = 0;
    int next_reached = 0;
    int next_left = 0;
    paths->items[first] = (check_path){.straight = pose_identity, .tilted = pose_identity, .before = -1, .reached = 1};
    paths->reached[n_reached++] = first;
    while (next_reached < n_reached || next_left < n_left) {
        int along = next_reached < n_reached;
        int frame = along ? paths->reached[next_reached++] : paths->left[next_left++];
        for (int k = c->of_frames.first[frame]; k < c->of_frames.first[frame + 1]; k++) {
            const endo_mosaic_edge *edge = &c->edges->items[c->of_frames.items[k]];
            int next = edge_other(edge, frame);
            if (is_step(c, edge) != along || paths->items[next].reached) continue;
            paths->items[next] = go_on(c, paths, frame, edge, by_plane);
            distance[next] = between(c, &paths->items[next], distance[frame]);
            paths->reached[n_reached++] = next;
        }
        if (along) paths->left[n_left++] = frame;
    }
}

/* Displacement of the frame at the end of a path by the errors of its edges, px of the first frame: perspective g of a frame
 * with s times the size of the first one moves a point d px of the first frame from its centre by g d^2 / s. */
static double chance(const perspective_check *c, const check_path *paths, int frame) {
    double middle_x = (c->size.width - 1) / 2.0;
    double middle_y = (c->size.height - 1) / 2.0;
    const endo_transform *to = &paths[frame].straight;
    double scale = frame_scale(c->size, to);
    double within = scale * scale * (c->size.width * c->size.width + c->size.height * c->size.height) / 12.0;
    double variance = 0;
    for (const check_path *path = &paths[frame]; path->before >= 0; path = &paths[path->before]) {
        double x = pose_x(&path->straight, middle_x, middle_y) - pose_x(to, middle_x, middle_y);
        double y = pose_y(&path->straight, middle_x, middle_y) - pose_y(to, middle_x, middle_y);
        double moves = path->deviation * (x * x + y * y + within) / frame_scale(c->size, &path->straight);
        variance += moves * moves;
    }
    return sqrt(variance);
}

static void find_surest(perspective_check *c, const check_path *paths) {
    for (int i = 0; i < c->n; i++) {
        double by_chance = paths[i].reached ? chance(c, paths, i) : 0;
        if (by_chance > 0) c->surest = greater_of(c->surest, c->distance[i] / by_chance);
    }
}

static void paths_free(check_paths *paths) {
    endo_free(paths->items);
    endo_free(paths->reached);
    endo_free(paths->left);
}

endo_status perspective_check_follow(perspective_check *c, int first) {
    int by_edges = c->is_short || is_seen(c);
    int by_plane = passed_plane_is_sure(&c->plane);
    if (!by_edges && !by_plane) return ENDO_OK;
    check_paths paths = {
        .items = endo_alloc_zeroed((size_t)c->n, sizeof *paths.items),
        .reached = endo_alloc((size_t)c->n, sizeof *paths.reached),
        .left = endo_alloc((size_t)c->n, sizeof *paths.left),
    };
    if (!paths.items || !paths.reached || !paths.left) {
        paths_free(&paths);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the ways to %d frames", c->n);
    }
    if (by_edges) follow_all(c, &paths, first, 0, c->distance);
    if (by_edges && c->is_short) find_surest(c, paths.items);
    for (int i = 0; i < c->n; i++) paths.items[i].reached = 0;
    if (by_plane) follow_all(c, &paths, first, 1, c->passed);
    paths_free(&paths);
    return ENDO_OK;
}

/* ------------------------------------------------------------------- for people */

double perspective_check_distance(const perspective_check *c, int frame) {
    return is_seen(c) ? c->distance[frame] : c->passed[frame];
}

void perspective_check_seen(const perspective_check *c, char *out, size_t size) {
    snprintf(out, size, "a tilted plane is seen (%.1f deviations)", perspective_check_evidence(c));
}

int perspective_check_warning(const perspective_check *c, char *out, size_t size) {
    int farthest = -1;
    double most = TOLD;
    char seen[100];
    if (size > 0) out[0] = 0;
    for (int i = 0; i < c->n; i++) {
        if (!(perspective_check_distance(c, i) > most)) continue;
        farthest = i;
        most = perspective_check_distance(c, i);
    }
    if (farthest < 0) return 0;
    perspective_check_seen(c, seen, sizeof seen);
    snprintf(out, size, "%s: frame %d lies about %.0f px off, others less", seen, record_number(c->frames, farthest), most);
    return 1;
}
