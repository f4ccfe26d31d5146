// SPDX-License-Identifier: Apache-2.0
#include "harness/path_prediction.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "harness/path_search.hpp"

namespace jcprof::harness {
namespace {

/// How far a digest is trusted.
struct Trust {
  double most_doubt = 0;           // in bits, about a piece that is tried
  std::uint64_t most_tried = 0;    // pieces
  std::uint64_t of_signature = 0;  // pieces that share it: more of them are no chance
};
constexpr Trust of_signature{.most_doubt = 9, .most_tried = 1U << 10U, .of_signature = 1};
constexpr Trust of_mix{.most_doubt = 14, .most_tried = 1U << 17U, .of_signature = 4};
constexpr double least_doubt = 4;
// If half of the pieces are found, the doubt about them stays the same.
constexpr double after_failure = 0.85;
constexpr double after_success = 1.15;
constexpr double no_doubt = 1e-3;
// A window that begins this close begins here as well.
constexpr std::uint64_t nearby = 8;

class Prediction {
 public:
  Prediction(PathModel& model, const SeenBeginning& beginning, const WindowSource& window_from)
      : model_(model),
        window_from_(window_from),
        events_(beginning.events),
        trust_(beginning.digest.mix ? of_mix : of_signature),
        goal_(trust_.most_doubt),
        doubt_(goal_) {
    if (beginning.digest.mix) digest_.mix = 0;
    known_[beginning.events] = {.before = beginning.digest, .traps = {}};
    take(beginning.traps);
  }

  std::optional<std::vector<TrapId>> run() {
    while (path_.size() < events_ && !is_contradicted_) {
      const auto& [first, window] = *known_.upper_bound(path_.size());
      const std::uint64_t distance = first - path_.size();
      const Outlook ahead = look_ahead(model_, walk_, distance, doubt_);
      const bool is_in_sight = ahead.events == distance;
      if (is_in_sight && doubt_ > no_doubt)
        reach(window, {distance, ahead.bits});
      else if (!see(is_in_sight || ahead.events < nearby ? path_.size() : path_.size() + ahead.events))
        return std::nullopt;
    }
    return is_contradicted_ ? std::nullopt : std::optional(std::move(path_));
  }

 private:
  /// Finds the events up to where a digest is known. If it finds none, half the way is tried next.
  void reach(const SeenWindow& window, const Outlook& way) {
    Search search = harness::search(
        model_, walk_,
        {.events = way.events, .before = digest_, .behind = window.before, .most_tried = trust_.most_tried});
    const bool is_found = search.found.size() == 1 && search.tried <= trust_.most_tried &&
                          search.of_signature <= trust_.of_signature;
    if (is_found) {
      doubt_ = goal_ = std::min(trust_.most_doubt, goal_ * after_success);
      take(search.found.front());
      take(window.traps);
    } else {
      goal_ = std::max(least_doubt, goal_ * after_failure);
      doubt_ = way.bits / 2;
    }
  }

  bool see(std::uint64_t first) {
    std::optional<SeenWindow> window = window_from_(first);
    if (!window || window->traps.empty()) return false;
    model_.learn_piece(window->traps);
    const SeenWindow& seen = known_[first] = std::move(*window);
    if (first > path_.size()) return true;
    doubt_ = goal_;
    take(seen.traps);
    return true;
  }

  /// The path goes on by these.
  void take(std::span<const TrapId> traps) {
    for (const TrapId trap : traps) {
      check_digest();
      model_.learn(walk_, trap);
      path_.push_back(trap);
      digest_.signature = path_signature({&trap, 1}, digest_.signature);
      if (digest_.mix) digest_.mix = path_mix({&trap, 1}, *digest_.mix);
    }
    check_digest();
  }

  void check_digest() {
    const auto known = known_.find(path_.size());
    is_contradicted_ |= known != known_.end() && known->second.before != digest_;
  }

  PathModel& model_;
  const WindowSource& window_from_;
  std::uint64_t events_;
  Trust trust_;
  double goal_;   // of doubt about a piece that ends at a window
  double doubt_;  // that the next piece may have
  PathWalk walk_;
  std::vector<TrapId> path_;
  PathDigest digest_;                          // of it
  std::map<std::uint64_t, SeenWindow> known_;  // by first event; the path's end too
  bool is_contradicted_ = false;
};

}  // namespace

std::optional<std::vector<TrapId>> PathMemory::known(const SeenBeginning& beginning) const {
  if (!beginning.digest.mix) return std::nullopt;
  for (const auto& [seen, path] : paths)
    if (seen == beginning) return path;
  return std::nullopt;
}

void PathMemory::keep(const SeenBeginning& beginning, const std::vector<TrapId>& path) {
  if (!known(beginning)) paths.emplace_back(beginning, path);
}

std::optional<std::vector<TrapId>> predict_path(PathModel& model, const SeenBeginning& beginning,
                                                const WindowSource& window_from) {
  return Prediction(model, beginning, window_from).run();
}

}  // namespace jcprof::harness
