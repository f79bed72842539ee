/* The terms of a pose graph against mathematics: a frame's points, derivatives, and how the robust function bends. */
#include "base/transform.h"
#include "systems/graph/graph.h"
#include "check.h"
#include "graph_scene.h"

#include <math.h>
#include <string.h>

enum { WIDTH = GRAPH_SCENE_WIDTH, HEIGHT = GRAPH_SCENE_HEIGHT };

static void identity(double place[9]) {
    static const double still[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(place, still, sizeof still);
}

/* Steps of single numbers change the sum of squares as the right side says. */
static void test_derivatives(void) {
    test_random r = {1};
    for (int kind = ENDO_TRANSFORM_TRANSLATION; kind <= ENDO_TRANSFORM_HOMOGRAPHY; kind++) {
        graph_frame f = graph_frame_of(WIDTH, HEIGHT, (endo_transform_class)kind);
        double places[2][9], pair[9];
        identity(places[0]), identity(places[1]), identity(pair);
        graph_scene_disturb(&f, 20, &r, places[0]), graph_scene_disturb(&f, 20, &r, places[1]), graph_scene_disturb(&f, 20, &r, pair);
        endo_graph_pair p = {0, 1, graph_scene_pose(&f, pair), 1.7};
        graph_term term, moved[2];
        graph_term_of(&f, &p, places[0], places[1], 1, &term);
        for (int which = 0; which < 2; which++)
            for (int k = 0; k < f.numbers; k++) {
                for (int side = 0; side < 2; side++) {
                    double step[GRAPH_MOST] = {0}, place[9];
                    step[k] = side ? 1e-4 : -1e-4;
                    memcpy(place, places[which], sizeof place);
                    graph_move(&f, step, place);
                    graph_term_of(&f, &p, which ? places[0] : place, which ? place : places[1], 0, &moved[side]);
                }
                /* numbers * contradiction^2 is the sum whose half derivative is minus the right side. */
                double slope = f.numbers * (moved[1].contradiction * moved[1].contradiction -
                                            moved[0].contradiction * moved[0].contradiction) / 2e-4;
                CHECK(fabs(slope / 2 + term.right[which][k]) < 1e-3 * (1 + fabs(slope)));
            }
    }
}

/* The pull of a pair of translated frames at its current frame, by Cauchy's function, (dx, dy) from where it is. */
static void pull(const graph_frame *f, const endo_graph_pair *pair, double dx, double dy, double wide, graph_term *term) {
    double reference[9], current[9];
    identity(reference);
    identity(current);
    current[2] = dx, current[5] = dy;
    graph_term_of(f, pair, reference, current, 1, term);
    double ratio = term->contradiction / wide;
    term->weight = 1 / (1 + ratio * ratio);
}

/* Translations are linear: the second derivative is the whole change of the pull; where the pull grows less and less. */
static void test_distortion(void) {
    graph_frame f = graph_frame_of(WIDTH, HEIGHT, ENDO_TRANSFORM_TRANSLATION);
    const double step = 1e-4, wide = 3;
    for (int i = 1; i < 6; i++) {
        const double m[6] = {1, 0, 0.1 * i, 0, 1, -0.2 * i};
        endo_graph_pair pair = {0, 1, endo_transform_make(ENDO_TRANSFORM_TRANSLATION, m), 0.4};
        graph_term here, more;
        for (int k = 0; k < 2; k++) {
            pull(&f, &pair, k ? 0 : step, k ? step : 0, wide, &more);
            pull(&f, &pair, 0, 0, wide, &here);
            graph_term_distortion(&f, wide, &here);
            for (int r = 0; r < 2; r++) {
                double change = (here.weight * here.right[1][r] - more.weight * more.right[1][r]) / step;
                CHECK_NEAR(here.weight * here.blocks[2][2 * r + k], change, 2e-3 * fabs(here.blocks[2][0]) + 1e-3);
                CHECK_NEAR(here.blocks[1][2 * r + k], -here.blocks[2][2 * r + k], 1e-9);
                CHECK_NEAR(here.blocks[0][2 * r + k], here.blocks[2][2 * r + k], 1e-9);
            }
        }
    }
    const double far[6] = {1, 0, 300, 0, 1, 0};
    endo_graph_pair pair = {0, 1, endo_transform_make(ENDO_TRANSFORM_TRANSLATION, far), 0.4};
    graph_term term;
    pull(&f, &pair, 0, 0, wide, &term);
    double before = term.blocks[2][0];
    graph_term_distortion(&f, wide, &term);
    CHECK_NEAR(term.blocks[2][0], 0.1 * before, 1e-6 * before);
}

static void test_frame(void) {
    graph_frame f = graph_frame_of(7, 4, ENDO_TRANSFORM_AFFINE);
    double xx = 0, yy = 0, x = 0, y = 0;
    CHECK(f.n_points == 4);
    for (int k = 0; k < f.n_points; k++) {
        CHECK(f.shares[k] == 0.25);
        x += f.points[k][0] / 4, y += f.points[k][1] / 4;
        xx += (f.points[k][0] - 3) * (f.points[k][0] - 3) / 4, yy += (f.points[k][1] - 1.5) * (f.points[k][1] - 1.5) / 4;
    }
    CHECK(fabs(x - 3) < 1e-12 && fabs(y - 1.5) < 1e-12);
    CHECK(fabs(xx - 49 / 12.0) < 1e-12 && fabs(yy - 16 / 12.0) < 1e-12);
}

static double power(double x, int n) { return n ? x * power(x, n - 1) : 1; }

/* The points of a frame that homographies are compared at have all moments of the whole frame, up to the fifth on each
 * axis. */
static void test_moments(void) {
    graph_frame f = graph_frame_of(7, 4, ENDO_TRANSFORM_HOMOGRAPHY);
    for (int i = 0; i <= 5; i++)
        for (int j = 0; j <= 5; j++) {
            double sum = 0, x = i % 2 ? 0 : power(3.5, i) / (i + 1), y = j % 2 ? 0 : power(2, j) / (j + 1);
            for (int k = 0; k < f.n_points; k++)
                sum += f.shares[k] * power(f.points[k][0] - 3, i) * power(f.points[k][1] - 1.5, j);
            CHECK_NEAR(sum, x * y, 1e-9 * power(3.5, i) * power(2, j));
        }
}

/* A number moves the points by 0.6 to 1 px, root mean square (a side alone has less than the whole frame). */
static void test_sizes(void) {
    for (int kind = ENDO_TRANSFORM_TRANSLATION; kind <= ENDO_TRANSFORM_HOMOGRAPHY; kind++) {
        graph_frame f = graph_frame_of(WIDTH, HEIGHT, (endo_transform_class)kind);
        for (int i = 0; i < f.numbers; i++) {
            double sum = 0;
            for (int k = 0; k < f.n_points; k++) {
                double rows[2 * GRAPH_MOST];
                graph_motion(&f, f.points[k], rows);
                sum += f.shares[k] * (rows[i] * rows[i] + rows[f.numbers + i] * rows[f.numbers + i]);
            }
            CHECK(sqrt(sum) > 0.59 && sqrt(sum) < 1 + 1e-12);
        }
    }
}

/* A step moves points as its rows say, to first order. */
static void test_motion(void) {
    for (int kind = ENDO_TRANSFORM_TRANSLATION; kind <= ENDO_TRANSFORM_HOMOGRAPHY; kind++) {
        graph_frame f = graph_frame_of(WIDTH, HEIGHT, (endo_transform_class)kind);
        for (int i = 0; i < f.numbers; i++) {
            double place[9], step[GRAPH_MOST] = {0}, rows[2 * GRAPH_MOST], to[2];
            const double point[2] = {17, 200};
            identity(place);
            step[i] = 1e-4;
            graph_move(&f, step, place);
            graph_motion(&f, point, rows);
            endo_transform moved = graph_scene_pose(&f, place);
            CHECK(endo_transform_apply(&moved, point, 1, to) == ENDO_OK);
            CHECK_NEAR(to[0] - point[0], 1e-4 * rows[i], 1e-9);
            CHECK_NEAR(to[1] - point[1], 1e-4 * rows[f.numbers + i], 1e-9);
        }
    }
}

int main(void) {
    test_frame();
    test_moments();
    test_sizes();
    test_motion();
    test_derivatives();
    test_distortion();
    return check_summary("test_graph_terms");
}
