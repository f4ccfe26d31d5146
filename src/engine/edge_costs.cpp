// SPDX-License-Identifier: Apache-2.0
#include "src/engine/edge_costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/tools/minima.hpp>

#include "src/engine/chain_noise.hpp"

namespace jcprof::engine {
namespace {

/// Costs that are not below 0, and as near as such can be to the least of x' a x / 2 - b' x: one at a time,
/// in turn (Hildreth 1957).
Eigen::VectorXd not_negative(const Eigen::MatrixXd& a, const Eigen::VectorXd& b, Eigen::VectorXd x) {
  constexpr int most_turns = 2000;
  x = x.cwiseMax(0.0);
  for (int turn = 0; turn < most_turns; ++turn) {
    double moved = 0;
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      const double better = std::max(0.0, x[k] + (b[k] - a.row(k).dot(x)) / a(k, k));
      moved = std::max(moved, std::abs(better - x[k]) * std::sqrt(a(k, k)));
      x[k] = better;
    }
    if (moved < 1e-4) break;
  }
  return x;
}

}  // namespace

void add_pass(EdgeCounts& counts, std::uint32_t edge) {
  const auto known = std::ranges::find(counts, edge, &EdgeCount::edge);
  if (known == counts.end())
    counts.push_back({edge, 1});
  else
    ++known->times;
}

/// Stretches as rows, edges as columns.
class EdgeRegression {
 public:
  EdgeRegression(const Fit& fit, const std::vector<EdgeCounts>& held);

  std::vector<double> costs() const { return {costs_.begin(), costs_.end()}; }
  double spread() const { return std::sqrt(between_); }
  EdgeCosts::Doubt doubt_of(std::span<const StretchPart> parts) const;
  /// The stretches without what the regression takes for noise.
  std::vector<Swayed> stretches() const;

 private:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  void take(const Fit& fit);
  void solve(double between);
  double misfit(double between);
  double deviance(double between);
  void find_between();
  void find_costs();
  void smooth();
  void move_costs(const StretchPart& part, Vector& moved) const;
  Matrix rows_of(const Matrix& stretches) const;
  Matrix left_of(const Matrix& rows) const;
  Matrix by_variance(Matrix rows) const;
  Vector noise_of(const Vector& stretches) const;
  static Eigen::Index units_of(const Matrix& taken) { return taken.cols() - 2; }
  double variance_of(const EdgeCounts& edges) const;

  const std::vector<EdgeCounts> held_;
  std::vector<std::size_t> rows_;  // the stretches that take part
  const ChainNoise noise_;
  Eigen::SparseMatrix<double, Eigen::RowMajor> passes_;  // N: by row and edge
  Matrix taken_;    // by stretch: its time, then what each unit sways it by, last its change
  Vector weights_;  // variance of a pass of each edge, but for `between_`
  double between_ = 0;
  double excess_ = 1;             // of the variance of the noise over what rounds show
  std::vector<double> diagonal_;  // V, the covariance of the rows, is L D L': D,
  std::vector<double> below_;     // and what is below the diagonal of L
  Matrix weighted_;               // V^-1 N
  Eigen::LDLT<Eigen::MatrixXd> normal_;
  Matrix by_row_;     // what each row adds to the cost of an edge
  Vector estimated_;  // as the regression has them
  Vector costs_;      // and not below 0
  Matrix sways_;      // by edge and unit, last its change
};

EdgeRegression::EdgeRegression(const Fit& fit, const std::vector<EdgeCounts>& held)
    : held_(held), noise_(fit) {
  for (std::size_t s = 0; s < held_.size(); ++s)
    if (!held_[s].empty()) rows_.push_back(s);
  take(fit);
  find_between();
  find_costs();
  smooth();
}

void EdgeRegression::take(const Fit& fit) {
  std::vector<Eigen::Triplet<double>> counts;
  std::uint32_t edges = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r)
    for (const EdgeCount& one : held_[rows_[r]]) {
      counts.emplace_back(static_cast<int>(r), static_cast<int>(one.edge), one.times);
      edges = std::max(edges, one.edge + 1);
    }
  passes_.resize(static_cast<Eigen::Index>(rows_.size()), edges);
  passes_.setFromTriplets(counts.begin(), counts.end());
  for (std::size_t s = 0; s < held_.size(); ++s) {
    const std::array range{BlockRange{.begin = s, .end = s + 1}};
    const Swayed one = fit.sum_of(range);
    const auto units = static_cast<Eigen::Index>(one.of_units.size());
    if (s == 0) taken_.resize(static_cast<Eigen::Index>(held_.size()), units + 2);
    taken_.row(static_cast<Eigen::Index>(s)) << one.value,
        Eigen::Map<const Eigen::RowVectorXd>(one.of_units.data(), units), one.changed;
  }
}

double EdgeRegression::variance_of(const EdgeCounts& edges) const {
  double sum = 0;
  for (const EdgeCount& one : edges) sum += one.times * weights_[one.edge];
  return between_ * sum;
}

/// The regression where passes differ by so much.
void EdgeRegression::solve(double between) {
  between_ = between;
  diagonal_.assign(rows_.size(), 0);
  below_.assign(rows_.size(), 0);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const std::size_t s = rows_[r];
    diagonal_[r] = noise_.own(s) + variance_of(held_[s]);
    if (r == 0 || rows_[r - 1] + 1 != s) continue;
    below_[r] = -noise_.shared(s) / diagonal_[r - 1];
    diagonal_[r] -= below_[r] * below_[r] * diagonal_[r - 1];
  }
  weighted_ = by_variance(Matrix(passes_));
  normal_.compute(Eigen::MatrixXd(passes_.transpose() * weighted_));
}

/// V^-1 times rows.
EdgeRegression::Matrix EdgeRegression::by_variance(Matrix rows) const {
  for (Eigen::Index r = 1; r < rows.rows(); ++r)
    if (const double below = below_[static_cast<std::size_t>(r)]; below != 0)
      rows.row(r) -= below * rows.row(r - 1);
  for (Eigen::Index r = rows.rows(); r-- > 0;) {
    rows.row(r) /= diagonal_[static_cast<std::size_t>(r)];
    if (r + 1 < rows.rows()) rows.row(r) -= below_[static_cast<std::size_t>(r) + 1] * rows.row(r + 1);
  }
  return rows;
}

/// V^-1 times what the regression leaves of rows.
EdgeRegression::Matrix EdgeRegression::left_of(const Matrix& rows) const {
  const Eigen::MatrixXd fitted = normal_.solve(Eigen::MatrixXd(weighted_.transpose() * rows));
  return by_variance(rows) - weighted_ * fitted;
}

EdgeRegression::Matrix EdgeRegression::rows_of(const Matrix& stretches) const {
  Matrix rows(passes_.rows(), stretches.cols());
  for (Eigen::Index r = 0; r < rows.rows(); ++r)
    rows.row(r) = stretches.row(static_cast<Eigen::Index>(rows_[static_cast<std::size_t>(r)]));
  return rows;
}

/// What is left of the stretches, in squares of standard deviations.
double EdgeRegression::misfit(double between) {
  solve(between);
  const Matrix times = rows_of(taken_.col(0));
  estimated_ = normal_.solve(Eigen::VectorXd(weighted_.transpose() * times));
  return times.col(0).dot(left_of(times).col(0));
}

/// How badly a difference between passes explains the stretches, where the noise may be larger than rounds
/// show: minus twice the logarithm of the restricted likelihood (Patterson & Thompson 1971), up to a
/// constant.
double EdgeRegression::deviance(double between) {
  const double left = misfit(between);
  const auto freedom = static_cast<double>(passes_.rows() - passes_.cols());
  excess_ = freedom > 0 ? std::max(1.0, left / freedom) : 1;
  double deviance = freedom * std::log(excess_) + left / excess_;
  for (const double variance : diagonal_) deviance += std::log(variance);
  return deviance + normal_.vectorD().array().abs().max(1e-300).log().sum();
}

/// The difference between passes and the excess of noise that explain the stretches best. A scale for both:
/// an edge that costs next to nothing has a noise that is many times its cost, and tells nothing of how
/// others differ.
void EdgeRegression::find_between() {
  constexpr int turns = 3;
  constexpr double least = 1e-8;
  constexpr double most = 1e4;
  constexpr int digits = 8;  // binary ones of the logarithm
  weights_ = Vector::Zero(passes_.cols());
  (void)misfit(0);
  for (int turn = 0; turn < turns; ++turn) {
    weights_ = estimated_.cwiseMax(std::sqrt(variance_of_tick)).cwiseAbs2();
    double best = 0;
    double lowest = deviance(0);
    if (excess_ == 1) return;
    for (double between = least; between <= most; between *= 10)
      if (const double one = deviance(between); one < lowest) {
        best = between;
        lowest = one;
      }
    if (best > 0) {
      const auto near = [&](double logarithm) { return deviance(std::exp(logarithm)); };
      const auto [logarithm, found] =
          boost::math::tools::brent_find_minima(near, std::log(best / 10), std::log(best * 10), digits);
      if (found < lowest) best = std::exp(logarithm);
    }
    (void)deviance(best);
  }
  between_ *= excess_;
}

void EdgeRegression::find_costs() {
  by_row_ = normal_.solve(Eigen::MatrixXd(weighted_.transpose()));
  sways_ = by_row_ * rows_of(taken_.rightCols(taken_.cols() - 1));
  const Eigen::MatrixXd normal = passes_.transpose() * weighted_;
  costs_ = not_negative(normal, normal * estimated_, estimated_);
}

/// The covariance of the noise of stretches, times `stretches`.
EdgeRegression::Vector EdgeRegression::noise_of(const Vector& stretches) const {
  const std::span factors(stretches.data(), static_cast<std::size_t>(stretches.size()));
  const std::vector<double> noise = noise_.with_sum(factors);
  return Eigen::Map<const Vector>(noise.data(), stretches.size());
}

void EdgeRegression::smooth() {
  const Matrix left = left_of(rows_of(taken_));
  Matrix placed = Matrix::Zero(taken_.rows(), taken_.cols());
  for (Eigen::Index r = 0; r < left.rows(); ++r)
    placed.row(static_cast<Eigen::Index>(rows_[static_cast<std::size_t>(r)])) = left.row(r);
  for (Eigen::Index u = 0; u < taken_.cols(); ++u) taken_.col(u) -= noise_of(placed.col(u));
}

std::vector<Swayed> EdgeRegression::stretches() const {
  std::vector<Swayed> all;
  for (Eigen::Index s = 0; s < taken_.rows(); ++s) {
    Swayed& one = all.emplace_back(Swayed{.value = taken_(s, 0), .changed = taken_(s, taken_.cols() - 1)});
    for (Eigen::Index u = 1; u <= units_of(taken_); ++u) one.of_units.push_back(taken_(s, u));
  }
  return all;
}

/// By how much a part of a stretch moves when the cost of an edge does. Noise may have left less of the
/// stretch, or nothing, than its edges cost: then the costs are the scale.
void EdgeRegression::move_costs(const StretchPart& part, Vector& moved) const {
  const EdgeCounts& held = held_[part.stretch];
  double whole = 0;
  for (const EdgeCount& one : held) whole += one.times * costs_[one.edge];
  const double time = taken_(static_cast<Eigen::Index>(part.stretch), 0);
  const double each = whole > 0 ? std::max(1.0, time / whole) : 1;
  for (const EdgeCount& one : part.edges) moved[one.edge] += each * one.times;
  for (const EdgeCount& one : held) moved[one.edge] -= each * part.share * one.times;
}

/// An error of a row enters the sum by its factor; passes in the sum are part of the truth too, so that of
/// theirs only what the factor differs from 1 by is an error.
EdgeCosts::Doubt EdgeRegression::doubt_of(std::span<const StretchPart> parts) const {
  Vector shares = Vector::Zero(taken_.rows());  // factors, in the end
  Vector moved = Vector::Zero(passes_.cols());
  std::vector<double> inside(held_.size(), 0);  // variance of the passes in the sum
  for (const StretchPart& part : parts) {
    shares[static_cast<Eigen::Index>(part.stretch)] = part.share;
    if (held_[part.stretch].empty()) continue;
    inside[part.stretch] = variance_of(part.edges);
    move_costs(part, moved);
  }
  const Vector by_row = by_row_.transpose() * moved - left_of(rows_of(noise_of(shares))).col(0);
  double variance = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    double& factor = shares[static_cast<Eigen::Index>(rows_[r])];
    factor += by_row[static_cast<Eigen::Index>(r)];
    const double in = inside[rows_[r]];
    const double out = std::max(0.0, variance_of(held_[rows_[r]]) - in);
    variance += (factor - 1) * (factor - 1) * in + factor * factor * out;
  }
  const std::span factors(shares.data(), static_cast<std::size_t>(shares.size()));
  variance += (excess_ - 1) * noise_.of_sum(factors);
  const Vector sway = sways_.transpose() * moved;
  const auto freedom = static_cast<double>(std::max<Eigen::Index>(1, passes_.rows() - passes_.cols()));
  const boost::math::students_t_distribution<double> student(freedom);
  return {.of_units = {sway.begin(), std::prev(sway.end())},
          .half_width = boost::math::quantile(boost::math::complement(student, 0.025)) * std::sqrt(variance),
          .changed = sway[sway.size() - 1],
          .factors = {factors.begin(), factors.end()},
          .equal_rounds = noise_.equal_rounds(factors)};
}

EdgeCosts::EdgeCosts(Fit& fit, std::vector<EdgeCounts> held) {
  if (std::ranges::all_of(held, &EdgeCounts::empty)) return;
  held_ = std::move(held);
  regression_ = std::make_shared<const EdgeRegression>(fit, held_);
  costs_ = regression_->costs();
  fit.revise(regression_->stretches());
}

double EdgeCosts::spread() const {
  return regression_ ? regression_->spread() : 0;
}

EdgeCosts::Doubt EdgeCosts::doubt_of(std::span<const StretchPart> parts) const {
  return regression_ ? regression_->doubt_of(parts) : Doubt{};
}

void EdgeCosts::add(const Doubt& doubt, Swayed& sum) {
  for (std::size_t u = 0; u < doubt.of_units.size(); ++u) sum.of_units[u] += doubt.of_units[u];
  sum.changed += doubt.changed;
  sum.equal_rounds = doubt.equal_rounds;
}

}  // namespace jcprof::engine
