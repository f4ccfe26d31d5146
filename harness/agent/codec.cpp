// SPDX-License-Identifier: Apache-2.0
#include "harness/agent/codec.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/core/error.hpp"
#include "src/core/hex.hpp"
#include "src/core/json_text.hpp"

namespace jcprof::harness {
namespace {

using nlohmann::json;

// Whole numbers up to this are exact in the doubles of every JSON library, and no run takes 104 days.
constexpr std::uint64_t most_ticks = std::uint64_t{1} << 53U;
constexpr std::size_t longest_text = 1000;
constexpr std::size_t shown_of_a_line = 80;

/// The start of a text that a JSON library let pass, so it is UTF-8; without bytes that drive a terminal.
std::string shortened(std::string_view text) {
  std::size_t length = std::min(text.size(), longest_text);
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  return harmless(text.substr(0, length)) + (length < text.size() ? "…" : "");
}

/// The start of a line that may be anything, in ASCII.
std::string excerpt(std::string_view text) {
  std::string shown = harmless(text.substr(0, shown_of_a_line));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) >= 0x80 || c == '\n') c = '?';
  return text.size() > shown_of_a_line ? shown + "…" : shown;
}

/// FNV-1a (Fowler, Noll, Vo 1991): of a digest that is no number of 32 bits only equality is wanted.
std::uint32_t folded(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

/// The fields of an object, strictly; the first fault is kept. A null is no value.
class Fields {
 public:
  Fields(const json& object, std::string& fault) : object_(object), fault_(fault) {
    if (!object.is_object()) note("an object", object);
  }

  const json* find(const char* key) const {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(key);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }

  std::optional<std::uint64_t> natural(const char* key, std::uint64_t highest) const {
    const json* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (value->is_number_unsigned() && value->get<std::uint64_t>() <= highest)
      return value->get<std::uint64_t>();
    // 12.0, as some libraries write whole numbers.
    const double number = value->is_number_float() ? value->get<double>() : -1;
    if (number >= 0 && number == std::floor(number) &&
        number <= static_cast<double>(std::min(highest, most_ticks)))
      return static_cast<std::uint64_t>(number);
    note(fmt::format("\"{}\" as a whole number from 0 to {}", key, highest), *value);
    return std::nullopt;
  }

  std::uint64_t needed_natural(const char* key, std::uint64_t highest) const {
    const std::optional<std::uint64_t> value = natural(key, highest);
    if (!value) need(key);
    return value.value_or(0);
  }

  std::string text(const char* key) const {
    const json* value = find(key);
    if (value == nullptr) return "";
    if (value->is_string()) return value->get_ref<const std::string&>();
    note(fmt::format("\"{}\" as a string", key), *value);
    return "";
  }

  bool flag(const char* key) const {
    const json* value = find(key);
    if (value != nullptr && !value->is_boolean()) note(fmt::format("\"{}\" as true or false", key), *value);
    return value != nullptr && value->is_boolean() && value->get<bool>();
  }

  double positive(const char* key, double otherwise) const {
    const json* value = find(key);
    if (value == nullptr) return otherwise;
    const double number = value->is_number() ? value->get<double>() : 0;
    const bool is_fit = number > 0 || (number == otherwise && value->is_number());
    if (is_fit && std::isfinite(number)) return number;
    note(fmt::format("\"{}\" as a number above 0", key), *value);
    return otherwise;
  }

  std::optional<std::uint32_t> signature() const {
    const json* value = find("signature");
    if (value == nullptr) return std::nullopt;
    if (value->is_number_unsigned() && value->get<std::uint64_t>() <= UINT32_MAX)
      return value->get<std::uint32_t>();
    if (value->is_number_integer()) return folded(value->dump());
    if (value->is_string()) return folded(value->get_ref<const std::string&>());
    note("\"signature\" as a whole number or a string", *value);
    return std::nullopt;
  }

  void need(const char* key) const {
    if (fault_.empty()) fault_ = fmt::format("\"{}\" is missing", key);
  }
  void note(std::string_view expected, const json& value) const {
    if (fault_.empty())
      fault_ = fmt::format("{} is expected, not {}", expected,
                           excerpt(value.dump(-1, ' ', true, json::error_handler_t::replace)));
  }

 private:
  const json& object_;
  std::string& fault_;
};

/// A line, taken apart as far as all answers are alike.
struct TakenApart {
  json root;
  std::string fault;
  std::optional<AgentError> error;
};

AgentError error_in(const json& value, std::string& fault) {
  const Fields fields(value, fault);
  return {.message = shortened(fields.text("message")), .hint = shortened(fields.text("hint"))};
}

TakenApart take_apart(std::string_view text, std::uint64_t id) {
  TakenApart line{.root = parse_line(text)};
  if (line.root.is_discarded()) {
    line.fault = json::accept(text)
                     ? fmt::format("this JSON is nested more than {} levels deep", deepest_json)
                     : "this is no JSON";
    return line;
  }
  const Fields fields(line.root, line.fault);
  const std::uint64_t got = fields.needed_natural("id", most_ticks);
  if (line.fault.empty() && got != id) line.fault = fmt::format("\"id\" is {}, {} was asked", got, id);
  if (!line.fault.empty()) return line;
  if (const json* error = fields.find("error")) line.error = error_in(*error, line.fault);
  return line;
}

Breach breach(std::string_view text, std::string_view why) {
  return {fmt::format("{}: the agent wrote \"{}\"", why, excerpt(text))};
}

Sample read_sample(const json& value, std::string& fault) {
  const Fields fields(value, fault);
  const std::string name = fields.text("outcome");
  const std::optional<Outcome> outcome = outcome_named(name);
  if (!outcome && fault.empty()) fault = fmt::format("there is no outcome \"{}\"", shortened(name));
  Sample sample{.outcome = outcome.value_or(Outcome::lost)};
  const bool is_timed = sample.outcome == Outcome::stopped || sample.outcome == Outcome::ended;
  sample.why = shortened(fields.text("why"));
  sample.signature = fields.signature();
  if (const auto status = fields.natural("status", UINT32_MAX))
    sample.status = static_cast<std::uint32_t>(*status);
  const auto reply = parse_hex(fields.text("reply"));
  if (!reply && fault.empty()) fault = "\"reply\" is not hexadecimal";
  sample.reply = reply.value_or(Bytes{});
  const auto trap = fields.natural("trap", UINT32_MAX);
  const auto hit = fields.natural("hit", UINT32_MAX);
  if (sample.outcome == Outcome::stopped && trap && hit)
    sample.reached =
        Event{.trap = TrapId{static_cast<std::uint32_t>(*trap)}, .hit = static_cast<std::uint32_t>(*hit)};
  if (is_timed) sample.ticks = static_cast<Ticks>(fields.needed_natural("ticks", most_ticks));
  return sample;
}

bool can(const Fields& fields, std::string_view verb) {
  const json* list = fields.find("can");
  if (list == nullptr) return false;
  if (!list->is_array()) fields.note("\"can\" as a list", *list);
  return list->is_array() && std::ranges::find(*list, json(verb)) != list->end();
}

AgentDescription description_in(const json& value, std::string& fault) {
  const Fields fields(value, fault);
  AgentDescription to{.protocol = fields.needed_natural("protocol", most_ticks)};
  if (to.protocol != agent_protocol_version) return to;
  to.agent = shortened(fields.text("agent"));
  to.device = shortened(fields.text("device"));
  to.simulated = fields.flag("simulated");
  const std::optional<std::uint64_t> batch = fields.natural("max_batch", most_ticks);
  if (batch == 0U) fields.note("\"max_batch\" of at least 1", *fields.find("max_batch"));
  to.max_batch = batch.value_or(1);
  to.can_trace = can(fields, "trace");
  to.can_calibrate = can(fields, "calibrate");
  to.can_reset = can(fields, "reset");
  const json* const clock = fields.find("clock");
  if (clock == nullptr) fields.need("clock");
  if (clock == nullptr) return to;
  const Fields of_clock(*clock, fault);
  const std::string unit = of_clock.text("unit");
  if (!clock_unit(unit) && fault.empty())
    fault = fmt::format("there is no clock unit \"{}\"", shortened(unit));
  to.clock = shortened(of_clock.text("name"));
  to.unit = clock_unit(unit).value_or(ClockUnit::ns);
  to.resolution = of_clock.positive("resolution", 1);
  to.hz = of_clock.positive("hz", 0);
  to.exact = of_clock.flag("exact");
  return to;
}

AgentWindow window_in(const json& value, std::string& fault) {
  const Fields fields(value, fault);
  AgentWindow window{.more = fields.flag("more"),
                     .signature = fields.signature().value_or(0),
                     .total = fields.natural("total", most_ticks)};
  const json* events = fields.find("events");
  if (events == nullptr || !events->is_array()) {
    fields.need("events");
    return window;
  }
  window.events.reserve(events->size());
  for (const json& event : *events) {
    const bool is_trap = event.is_number_unsigned() && event.get<std::uint64_t>() - 1 < UINT32_MAX;
    if (!is_trap) fields.note("\"events\" with numbers of traps", event);
    window.events.push_back(TrapId{is_trap ? event.get<std::uint32_t>() : 0});
  }
  return window;
}

bool is_time(const json& value) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() <= most_ticks;
}

Rung rung_in(const json& value, std::uint32_t rounds, std::string& fault) {
  const Fields fields(value, fault);
  Rung rung{.name = shortened(fields.text("name")), .ticks = {}};
  if (rung.name.empty()) fields.need("name");
  const json* const ticks = fields.find("ticks");
  if (ticks == nullptr || !ticks->is_array() || ticks->size() != rounds ||
      !std::ranges::all_of(*ticks, is_time))
    fields.note(fmt::format("\"ticks\" with {} whole numbers", rounds), ticks == nullptr ? json() : *ticks);
  else
    rung.ticks = ticks->get<std::vector<Ticks>>();
  return rung;
}

std::vector<Rung> rungs_in(const json& value, std::uint32_t rounds, std::string& fault) {
  const Fields fields(value, fault);
  const json* const list = fields.find("rungs");
  std::vector<Rung> rungs;
  if (list == nullptr || !list->is_array() || list->empty()) {
    fields.need("rungs");
    return rungs;
  }
  for (const json& each : *list) rungs.push_back(rung_in(each, rounds, fault));
  return rungs;
}

/// An answer of one line; `read` makes a value of what stands under "ok".
template <class T, class Read>
AgentAnswer<T> one_answer(std::string_view text, std::uint64_t id, const Read& read) {
  TakenApart line = take_apart(text, id);
  if (!line.fault.empty()) return breach(text, line.fault);
  if (line.error) return *line.error;
  const auto ok = line.root.find("ok");
  if (ok == line.root.end()) return breach(text, "neither \"ok\" nor \"error\"");
  T value = read(*ok, line.fault);
  if (!line.fault.empty()) return breach(text, line.fault);
  return value;
}

}  // namespace

std::string hello_request(std::uint64_t id, const AgentGreeting& greeting) {
  return fmt::format(
      R"({{"id":{},"do":"hello","protocol":{},"project":{{"name":{},"target":{}}},"trigger":{},"session":{},"options":{}{}{}}})"
      "\n",
      id, agent_protocol_version, json_string(greeting.project), json_string(greeting.target),
      greeting.trigger, greeting.session, greeting.options,
      greeting.arming.empty() ? "" : R"(,"arming":)" + greeting.arming,
      greeting.unanswered == 0 ? "" : fmt::format(R"(,"unanswered":{})", greeting.unanswered));
}

std::string measure_request(std::uint64_t id, std::span<const Shot> shots,
                            std::span<const std::string> inputs) {
  std::string line = fmt::format(R"({{"id":{},"do":"measure","shots":[)", id);
  for (const Shot& shot : shots) {
    if (&shot != &shots.front()) line += ',';
    fmt::format_to(std::back_inserter(line), R"({{"trap":{},"hit":{},"input":"{}")", number(shot.stop.trap),
                   shot.stop.hit, inputs[shot.input]);
    if (shot.delay_ns > 0) fmt::format_to(std::back_inserter(line), R"(,"delay_ns":{})", shot.delay_ns);
    line += '}';
  }
  return line + "]}\n";
}

std::string trace_request(std::uint64_t id, std::string_view input, std::uint64_t from, std::uint32_t count) {
  return fmt::format(R"({{"id":{},"do":"trace","input":"{}","from":{},"count":{}}})"
                     "\n",
                     id, input, from, count);
}

std::string calibrate_request(std::uint64_t id, std::string_view kind, std::uint64_t passes) {
  return fmt::format(R"({{"id":{},"do":"calibrate","kind":"{}","passes":{}}})"
                     "\n",
                     id, kind, passes);
}

std::string reset_request(std::uint64_t id, std::string_view how) {
  return fmt::format(R"({{"id":{},"do":"reset","how":"{}"}})"
                     "\n",
                     id, how);
}

std::string layers_request(std::uint64_t id, std::uint32_t rounds, TrapId trap, std::string_view input) {
  return fmt::format(R"({{"id":{},"do":"layers","rounds":{},"trap":{},"input":"{}"}})"
                     "\n",
                     id, rounds, number(trap), input);
}

std::string record_request(std::uint64_t id, std::span<const std::string> inputs,
                           const std::filesystem::path& log) {
  const json request{{"id", id}, {"do", "record"}, {"inputs", inputs}, {"log", log.string()}};
  return request.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string bye_request(std::uint64_t id) {
  return fmt::format(R"({{"id":{},"do":"bye"}})"
                     "\n",
                     id);
}

AgentAnswer<AgentDescription> read_hello(std::string_view line, std::uint64_t id) {
  return one_answer<AgentDescription>(line, id, description_in);
}

std::variant<AgentShot, AgentDone, AgentError, Breach> read_shot(std::string_view text, std::uint64_t id) {
  TakenApart line = take_apart(text, id);
  if (!line.fault.empty()) return breach(text, line.fault);
  if (line.error) return *line.error;
  if (line.root.contains("ok")) return AgentDone{};
  const Fields fields(line.root, line.fault);
  AgentShot shot{.n = fields.needed_natural("n", most_ticks)};
  const json* const sample = fields.find("sample");
  if (sample == nullptr)
    fields.need("sample");
  else
    shot.sample = read_sample(*sample, line.fault);
  if (!line.fault.empty()) return breach(text, line.fault);
  return shot;
}

AgentAnswer<AgentWindow> read_window(std::string_view line, std::uint64_t id) {
  return one_answer<AgentWindow>(line, id, window_in);
}

AgentAnswer<Ticks> read_ticks(std::string_view line, std::uint64_t id) {
  return one_answer<Ticks>(line, id, [](const json& value, std::string& fault) {
    return static_cast<Ticks>(Fields(value, fault).needed_natural("ticks", most_ticks));
  });
}

AgentAnswer<std::vector<Rung>> read_rungs(std::string_view line, std::uint64_t id, std::uint32_t rounds) {
  return one_answer<std::vector<Rung>>(
      line, id, [rounds](const json& value, std::string& fault) { return rungs_in(value, rounds, fault); });
}

AgentAnswer<Bytes> read_log(std::string_view line, std::uint64_t id) {
  return one_answer<Bytes>(line, id, [](const json& value, std::string& fault) {
    const std::optional<Bytes> log = parse_hex(Fields(value, fault).text("log"));
    if (!log) fault = "\"log\" is no hex";
    return log.value_or(Bytes{});
  });
}

AgentAnswer<AgentDone> read_done(std::string_view line, std::uint64_t id) {
  return one_answer<AgentDone>(line, id, [](const json&, std::string&) { return AgentDone{}; });
}

}  // namespace jcprof::harness
