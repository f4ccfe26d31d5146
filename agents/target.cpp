// SPDX-License-Identifier: Apache-2.0
#include "agents/target.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "agents/monotonic.hpp"
#include "src/core/error.hpp"

namespace jcprof::agents {
namespace {

constexpr std::int64_t longest_load_ns = 30'000'000'000;

bool is_stop(const Shot& shot) {
  return shot.stop.trap != run_to_end;
}

bool is_back(const Run& run) {
  return run.end == ListEnd::finished && run.results.back().came == Came::back;
}

}  // namespace

Target::Target(std::unique_ptr<Subject> subject, TargetSettings settings)
    : settings_(std::move(settings)), subject_(std::move(subject)) {
  take_request({});
  ++account_.loads;
  subject_->load(longest_load_ns);
}

void Target::take_request(std::span<const Bytes> inputs) {
  answered_ = monotonic_ns();
  inputs_.clear();
  const std::vector<Placed> placed = subject_->place(inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    inputs_.push_back({.placed = placed[i], .known = &known_[inputs[i]]});
}

void Target::measure(std::span<const Shot> shots, std::span<const Bytes> inputs, const Sink& sink) {
  take_request(inputs);
  const Sink answer = [&](const Sample& sample) {
    sink(sample);
    answered_ = monotonic_ns();
  };
  while (!shots.empty()) shots = shots.subspan(measure_some(shots, answer));
}

/// As many of the shots as it can make without a look at the subject, at least one.
std::size_t Target::measure_some(std::span<const Shot> shots, const Sink& sink) {
  const Shot& first = shots.front();
  const std::string why = make_ready(input_of(first), needs_fresh(first));
  if (!why.empty()) {
    sink(lost(why));
    return 1;
  }
  std::size_t good = 0;
  const std::vector<Order> orders = orders_for(shots);
  const Run done = subject_->run(orders, [&](std::size_t i, const Result& result) {
    if (i != good || !is_good(shots[i], result)) return;
    note(shots[i], result);
    sink(sample_of(result));
    ++good;
  });
  if (good == orders.size()) return good;
  const Shot& suspect = shots[good];
  see_hang(done);
  sink(stops_ > 0 ? asked_again(suspect) : settled(suspect, done));
  return good + 1;
}

/// Nobody would know whether its answer is right on a used one.
bool Target::needs_fresh(const Shot& shot) const {
  return !is_stop(shot) && !input_of(shot).known->answer.is_known();
}

std::vector<Order> Target::orders_for(std::span<const Shot> shots) const {
  std::vector<Order> orders;
  std::uint32_t stops = stops_;
  for (const Shot& shot : shots) {
    const bool is_used_up = stops >= stops_allowed(input_of(shot)) || (stops > 0 && needs_fresh(shot));
    if (orders.size() == most_orders || (is_used_up && !orders.empty())) break;
    orders.push_back(order_for(shot, stops));
    if (!is_stop(shot)) continue;
    ++stops;
    if (harmful_.contains(shot.stop)) break;
  }
  return orders;
}

Order Target::order_for(const Shot& shot, std::uint32_t stops) const {
  const Input& input = input_of(shot);
  Order order = whole_run(input);
  order.delay_ns = shot.delay_ns;
  order.limit_ns = stops > 0 ? suspicious_ns(*input.known) : remaining_ns();
  if (is_stop(shot)) {
    order.trap = number(shot.stop.trap);
    order.hit = shot.stop.hit;
    order.expected = Expected::the_stop;
  } else if (const auto answer = input.known->answer.expected()) {
    order.answer = *answer;
    order.expected = Expected::the_answer;
  }
  return order;
}

Order Target::whole_run(const Input& input) const {
  return {.task = Task::call,
          .limit_ns = remaining_ns(),
          .input = input.placed.at,
          .input_size = input.placed.size};
}

bool Target::is_good(const Shot& shot, const Result& result) const {
  if (result.came != Came::back) return false;
  if (is_stop(shot)) return result.trap == number(shot.stop.trap) && result.hit == shot.stop.hit;
  return result.trap == 0 && input_of(shot).known->answer.allows(result.answer);
}

/// What the subject has been through with this, and what it shows of it.
void Target::note(const Shot& shot, const Result& result) {
  if (result.trap != 0) {
    ++stops_;
    ++account_.stops;
    last_stop_ = shot.stop;
    is_spoilt_ = is_spoilt_ || harmful_.contains(shot.stop);
  } else if (stops_ == 0) {
    input_of(shot).known->answer.see(result.answer);
    if (!is_stop(shot)) see_time(*input_of(shot).known, result.ticks);
  }
}

Sample Target::sample_of(const Result& result) const {
  if (result.trap != 0)
    return {
        .outcome = Outcome::stopped,
        .ticks = result.ticks,
        .reached = Event{.trap = TrapId{result.trap},
                         .hit = static_cast<std::uint32_t>(std::min<std::uint64_t>(result.hit, UINT32_MAX))}};
  const std::span<const std::uint8_t> reply = subject_->reply(result);
  return {.outcome = Outcome::ended,
          .ticks = result.ticks,
          .status = result.status,
          .reply = Bytes(reply.begin(), reply.end())};
}

Sample Target::lost(const std::string& why) {
  ++account_.losses;
  return {.outcome = Outcome::lost, .why = why};
}

Sample Target::settled(const Shot& shot, const Run& run) {
  if (is_back(run)) {
    note(shot, run.results.back());
    return sample_of(run.results.back());
  }
  ++account_.losses;
  is_spoilt_ = true;
  const bool is_refused = run.end == ListEnd::finished && run.results.back().came == Came::refused;
  return {.outcome = run.end == ListEnd::hung ? Outcome::timed_out
                     : is_refused             ? Outcome::refused
                                              : Outcome::lost,
          .why = subject_->why(run)};
}

Sample Target::asked_again(const Shot& shot) {
  ++account_.suspects;
  const std::uint32_t stops = stops_;
  const Event last = last_stop_;
  // What is wrong may be in its process.
  subject_->end();
  const std::string why = make_fresh(input_of(shot));
  if (!why.empty()) return lost(why);
  const Order order = order_for(shot, 0);
  const Run run = subject_->run(std::span(&order, 1));
  if (!is_in_doubt_ && run.end == ListEnd::finished && is_good(shot, run.results.front())) {
    ++account_.blamed;
    blame(stops, last);
  }
  return settled(shot, run);
}

/// Of a single stop it is known that it did the harm. Of several it may have been the last, or all of them.
void Target::blame(std::uint32_t stops, Event last) {
  harmful_.insert(last);
  if (stops > 1) policy_.deviated();
}

/// Short waits also end where a busy host gives it no time: that an event is to blame is not known until the
/// second one.
void Target::see_hang(const Run& run) {
  const bool is_hung = stops_ > 0 && run.end == ListEnd::hung;
  is_in_doubt_ = is_hung && std::exchange(hangs_when_used_, true) && slow_once_.insert(last_stop_).second;
}

/// Why there is none to be had, or nothing.
std::string Target::make_ready(const Input& input, bool is_fresh_wanted) {
  const bool is_load_due = !subject_->is_loaded() || is_spoilt_ || (is_fresh_wanted && stops_ > 0);
  const bool is_used_up = stops_ >= stops_allowed(input);
  if (!is_load_due && is_used_up && !is_never_looked_at(*input.known)) look_back(input);
  if (is_load_due || is_used_up || !is_warm_) return make_fresh(input);
  return "";
}

std::string Target::make_fresh(const Input& input) {
  try {
    if (stops_ > 0 || is_spoilt_ || !subject_->is_loaded()) load();
    if (!is_warm_) warm_up(input);
    return "";
  } catch (const UserError& error) {
    // One that was made where another was may have something of that.
    const bool is_worth_another = subject_->is_second_of_its_kind();
    subject_->replace_from_now_on();
    return is_worth_another ? make_fresh(input) : error.faults().front().message;
  }
}

void Target::load() {
  // What a stop that does harm has left may be anywhere, and unloading wait for it.
  if (is_spoilt_) subject_->end();
  is_spoilt_ = true;
  ++account_.loads;
  subject_->load(std::min(longest_load_ns, remaining_ns()));
  stops_ = 0;
  is_warm_ = false;
  is_spoilt_ = false;
}

/// The first run may make tables, and in an enclave runs the static constructors. Then, where the path is not
/// known, a look at that, and once to see how long it takes now.
void Target::warm_up(const Input& input) {
  Known& known = *input.known;
  Order whole = whole_run(input);
  if (subject_->is_second_of_its_kind()) whole.limit_ns = settings_.timeout.count() / 2;
  std::vector<Order> orders{whole};
  const bool is_timed = !is_never_looked_at(known);
  if (is_timed) orders.push_back(whole);
  Order traced = whole;
  traced.room = 1;
  const bool is_traced = !known.path.is_known() || known.is_path_in_doubt;
  if (is_traced) orders.push_back(traced);  // the last: whatever is armed behind it empties the window
  is_spoilt_ = true;
  const Run run = subject_->run(orders);
  if (!is_back(run))
    throw environment_error(
        fmt::format("on a fresh {}, with nothing armed: {}", settings_.what, subject_->why(run)));
  is_warm_ = true;
  is_spoilt_ = false;
  for (std::size_t i = 1; i < run.results.size(); ++i) known.answer.see(run.results[i].answer);
  if (is_traced) {
    known.path.see(subject_->window().all);
    known.is_path_in_doubt = false;
  }
  if (is_timed) see_time(known, run.results[1].ticks);
}

/// Before a planned load: were so many stops too many?
void Target::look_back(const Input& input) {
  const bool is_whole = goes_as_usual(input);
  if (is_whole && takes_as_usual(input)) {
    policy_.held();
    return;
  }
  ++account_.deviations;
  is_spoilt_ = true;
  if (is_whole)
    policy_.deviated();
  else if (!is_in_doubt_)
    blame(stops_, last_stop_);
}

/// Whether the whole command goes the same way and answers the same as on a fresh one.
bool Target::goes_as_usual(const Input& input) {
  Known& known = *input.known;
  Order traced = whole_run(input);
  traced.room = 1;
  traced.limit_ns = suspicious_ns(known);
  const Run run = subject_->run(std::span(&traced, 1));
  see_hang(run);
  if (!is_back(run)) return false;
  if (!known.path.allows(subject_->window().all)) known.is_path_in_doubt = true;
  return !known.is_path_in_doubt && known.answer.allows(run.results.back().answer);
}

/// Slower is what wear looks like. Of a few attempts the best counts: the machine is not ours alone.
bool Target::takes_as_usual(const Input& input) {
  constexpr int attempts = 3;
  constexpr double slower = 1.25;
  constexpr double unseen_ns = 500;
  const auto usual = usual_time(*input.known);
  Order order = whole_run(input);
  order.limit_ns = suspicious_ns(*input.known);
  for (int i = 0; usual && i < attempts; ++i) {
    const Run run = subject_->run(std::span(&order, 1));
    if (!is_back(run)) return false;
    const auto ticks = static_cast<double>(run.results.back().ticks);
    if (ticks <= slower * static_cast<double>(*usual) + unseen_ns * settings_.ticks_per_ns) return true;
  }
  return !usual;
}

/// Until the answer has to be out, with a margin for what is not the target's.
std::int64_t Target::remaining_ns() const {
  constexpr double share = 0.9;
  constexpr std::int64_t least_ns = 50'000'000;
  const auto all = static_cast<std::int64_t>(share * static_cast<double>(settings_.timeout.count()));
  return std::max(least_ns, answered_ + all - monotonic_ns());
}

/// After that a used one is taken to hang, and a fresh one is asked. Once one has, a lock may be held at each
/// stop.
std::int64_t Target::suspicious_ns(const Known& known) const {
  const std::int64_t quarter = settings_.timeout.count() / 4;
  const std::int64_t usual = usual_ns(known, settings_.ticks_per_ns);
  if (usual == 0) return quarter;
  const std::int64_t least_ns = hangs_when_used_ ? 20'000'000 : 1'000'000'000;
  return std::max(3 * usual, std::min(quarter, std::max(least_ns, 100 * usual)));
}

/// Between two loads.
std::uint32_t Target::stops_allowed(const Input& input) const {
  return is_never_looked_at(*input.known) ? 1 : policy_.stops();
}

/// The looks at it would take what is left of the shot's time, or never come back.
bool Target::is_never_looked_at(const Known& known) const {
  return settings_.is_fresh_always || 8 * usual_ns(known, settings_.ticks_per_ns) > settings_.timeout.count();
}

/// UserError where the subject is lost in it.
Run Target::carried_out(std::span<const Order> orders, std::string_view doing) {
  Run run = subject_->run(orders);
  if (is_back(run)) return run;
  is_spoilt_ = true;
  throw environment_error(fmt::format("the {} was lost {}: {}", settings_.what, doing, subject_->why(run)));
}

AgentWindow Target::trace(const Bytes& input, std::uint64_t from, std::uint64_t count) {
  take_request(std::span(&input, 1));
  const Input& placed = inputs_.front();
  const std::string why = make_fresh(placed);
  if (!why.empty()) throw environment_error(why, subject_->way_out());
  Order order = whole_run(placed);
  order.from = from;
  order.room = std::clamp<std::uint64_t>(count, 1, window_room);
  const Run run = carried_out(std::span(&order, 1), "in a trace");
  const Sample end = sample_of(run.results.back());
  const Window window = subject_->window();
  placed.known->path.see(window.all);
  const std::uint64_t behind = window.events - std::min(from, window.events);
  const std::uint64_t held = std::min<std::uint64_t>({behind, count, window.ids.size()});
  AgentWindow answer{.events = {},
                     .more = behind > held,
                     .signature = window.before,
                     .total = window.events,
                     .status = end.status,
                     .reply = end.reply};
  for (const std::uint32_t id : window.ids.first(held)) answer.events.push_back(TrapId{id});
  return answer;
}

Ticks Target::calibrate(Passes kind, std::uint64_t passes) {
  take_request({});
  if (!subject_->is_loaded() || is_spoilt_) load();
  Order order{.task = Task::calibrate, .limit_ns = remaining_ns()};
  std::vector<Order> orders{order};  // in an enclave static constructors run in the first
  order.passes = passes;
  // The caller asks for both kinds and subtracts them: a third call would only add noise.
  if (!is_of_entries(kind)) orders.push_back(order);
  order.kind = kind;
  orders.push_back(order);
  const Run run = carried_out(orders, "in a calibration");
  if (is_of_entries(kind)) return run.results.back().ticks;
  return std::max<Ticks>(0, run.results[2].ticks - run.results[1].ticks);
}

Bytes Target::record(std::span<const Bytes> inputs, const std::filesystem::path& log) {
  take_request(inputs);
  subject_->record_into(log);
  is_spoilt_ = true;
  for (const Input& input : inputs_) {
    const std::string why = make_ready(input, false);
    if (!why.empty()) throw environment_error(why, subject_->way_out());
    Order order = whole_run(input);
    order.is_recorded = true;
    carried_out(std::span(&order, 1), "while it was recorded");
    answered_ = monotonic_ns();
  }
  return subject_->own_log();
}

void Target::reset(Reset how) {
  take_request({});
  if (how == Reset::target) subject_->kill();
  load();
}

}  // namespace jcprof::agents
