// SPDX-License-Identifier: Apache-2.0
#include "rewriter/taken_out.hpp"

#include <fmt/format.h>

#include "src/core/error.hpp"

namespace jcprof::rewriter {

void TakenOut::add(const Refusal& refusal, const Trap& trap) {
  const Site& site = models_[refusal.file].sites[refusal.site];
  Taken& taken = taken_[{refusal.file, site.function, refusal.reason}];
  if (taken.count++ == 0) taken.first = trap;
  taken.what = refusal.what;
  if (!refusal.left.empty()) taken.left = refusal.left;
  // Whatever the compiler's words were: reasons are counted.
  if (site.counts)
    statements_.push_back({.path = trap.path, .line = trap.line, .reason = refusal.what, .count = 1});
}

std::vector<std::string> TakenOut::notes() const {
  std::vector<std::string> notes;
  for (const auto& [key, taken] : taken_) notes.push_back(note(key, taken));
  return notes;
}

std::string TakenOut::note(const Key& key, const Taken& taken) const {
  if (taken.count == 1)
    return fmt::format("{}:{}: the trap {} is taken out, {}: {}", taken.first.path, taken.first.line,
                       taken.first.name, taken.what, key.reason);
  const SourceModel& model = models_[key.file];
  const Function& function = model.functions[key.function];
  return fmt::format("{}:{}: {} traps of {} are taken out{}: {}", model.path,
                     place_at(model.path, model.text, function.offset).line, taken.count, function.name,
                     taken.left.empty() ? "" : fmt::format(" (\"level\" is \"{}\" there)", taken.left),
                     key.reason);
}

}  // namespace jcprof::rewriter
