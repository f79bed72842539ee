/* The Cholesky decomposition L L' of sparse symmetric equations in blocks of frames, by dense panels. C++ only. */
#ifndef ENDO_SYSTEMS_GRAPH_FACTOR_H
#define ENDO_SYSTEMS_GRAPH_FACTOR_H

#include "base/math/dense.h"

#include <Eigen/SparseCore>
#include <cstdint>
#include <utility>
#include <vector>

namespace graph {

using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int64_t>;
using Vector = Eigen::VectorXd;

/* Frames that are eliminated together: columns from..to-1, which all fill the same rows. */
struct panel {
    int64_t from, to;
    int64_t first, last; /* range in below_ of the frames whose rows follow */
    int64_t values;      /* index of its first value: rows of its frames, then those below; column by column */
};

/* Edges (a, b) between frames 0..n-1, in either order, also more than once. */
using edges = std::vector<std::pair<int32_t, int32_t>>;

/* Memory that one thread alone writes. */
struct workspace {
    std::vector<double> work, product;
};

class factor {
public:
    /* Chooses the order of elimination and the panels. order(): frame -> its index in that order. */
    factor(const edges &pairs, int64_t frames, int numbers, int threads, endo_cpu cpu);
    const std::vector<int32_t> &order() const { return order_; }

    /* Decomposes `lower`, the lower half in the order of elimination, with its diagonal times 1 + damping, or `damping`
     * where that is 0. False: it is not positive. */
    bool decompose(const Matrix &lower, double damping);
    void solve(Eigen::MatrixXd &x) const; /* each column is a right side */
    /* The diagonal blocks of the inverse in the order of elimination, each numbers x numbers; overwrites the decomposition
     * (Takahashi, Fagan and Chin 1973, by panels). */
    void invert(double *blocks);

private:
    void find_order(const edges &pairs);
    void find_panels(const edges &pairs);
    void gather(const Matrix &lower, double damping);
    bool eliminate(const panel &p);
    void solve(Eigen::Ref<Vector> x, Vector &rest) const;
    void update(const panel &p, int64_t k0, int64_t k1);
    void collect(const panel &p, int64_t k0, int64_t k1, Eigen::MatrixXd &square) const;
    void invert(const panel &p, Eigen::MatrixXd &square);
    void invert_below(const panel &p, const Eigen::MatrixXd &turned, Eigen::MatrixXd &diagonal, Eigen::MatrixXd &square);
    void add_product(const dense_product &p) const;
    int threads_for(const panel &p) const;
    workspace &thread_workspace() const;
    void rows_in(const panel &target, const panel &p, int64_t from, std::vector<int64_t> &out) const;
    std::vector<std::pair<int64_t, int64_t>> runs(const panel &p) const;
    int64_t height(const panel &p) const { return (p.to - p.from + p.last - p.first) * numbers_; }
    int64_t width(const panel &p) const { return (p.to - p.from) * numbers_; }

    int64_t frames_, numbers_;
    int threads_;
    std::vector<int32_t> order_, below_, panel_of_;
    std::vector<panel> panels_;
    std::vector<double> values_;
    const dense_loops *dense_;
    mutable std::vector<workspace> workspaces_; /* one a thread */
};

} // namespace graph

#endif
