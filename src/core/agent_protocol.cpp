// SPDX-License-Identifier: Apache-2.0
#include "src/core/agent_protocol.hpp"

#include "src/core/agent_fields.hpp"
#include "src/core/json_text.hpp"

namespace jcprof {

constexpr std::uint64_t longest_delay_ns = 3'600'000'000'000;
constexpr std::uint64_t most_rounds = 100'000;

// ---- what stands in each message; `field` reads or writes it

template <class Message, class Described>
concept Of = std::same_as<std::remove_const_t<Message>, Described>;

void fields(Of<AgentGreeting> auto& m, auto&& field) {
  field("protocol", m.protocol);
  field.object("project", Rule::usual, [&](auto&& project) {
    project("name", m.project);
    project("target", m.target);
  });
  field.json_text("trigger", m.trigger);
  field.json_text("session", m.session);
  field.json_text("options", m.options);
  field.json_text("arming", m.arming);
  field("unanswered", m.unanswered, Rule::rare);
  field("input", m.input, Rule::rare);
  field("expect", m.expect, Rule::rare);
  field("seed", m.seed, Rule::rare);
}

void fields(Of<RequestedShot> auto& m, auto&& field) {
  field("trap", m.stop.trap);
  field("hit", m.stop.hit, Rule::usual, Range{.low = 1});
  field("input", m.input);
  field("delay_ns", m.delay_ns, Rule::rare, Range{.high = longest_delay_ns});
}

void fields(Of<MeasureRequest> auto& m, auto&& field) {
  field("shots", m.shots, Rule::needed);
}

void fields(Of<TraceRequest> auto& m, auto&& field) {
  field("input", m.input);
  field("from", m.from);
  field("count", m.count);
}

void fields(Of<CalibrateRequest> auto& m, auto&& field) {
  field("kind", m.kind);
  field("passes", m.passes);
}

void fields(Of<ResetRequest> auto& m, auto&& field) {
  field("how", m.how);
}

void fields(Of<LayersRequest> auto& m, auto&& field) {
  field("rounds", m.rounds, Rule::usual, Range{.high = most_rounds});
  field("trap", m.trap);
  field("input", m.input);
}

void fields(Of<RecordRequest> auto& m, auto&& field) {
  field("inputs", m.inputs, Rule::needed);
  field("log", m.log);
}

void fields(Of<MemoryRequest> auto& m, auto&& field) {
  field("input", m.input);
}

void fields(Of<PathRequest> auto& m, auto&& field) {
  field("input", m.input);
  field("events", m.events, Rule::needed, Range{.low = 1});
}

void fields(const ByeRequest& /*m*/, auto&& /*field*/) {}

void fields(Of<CardBehind> auto& m, auto&& field) {
  field.text("reader", m.reader);
  field.text("protocol", m.protocol);
  field.text("atr", m.atr);
  field("counts_tries", m.counts_tries);
  field("patience_ms", m.patience_ms, Rule::usual, Range{.high = longest_patience_ms});
}

void fields(Of<AgentDescription> auto& m, auto&& field) {
  field("protocol", m.protocol, Rule::needed);
  if (m.protocol != agent_protocol_version) return;
  field.text("agent", m.agent);
  field.text("device", m.device);
  field("simulated", m.simulated);
  field.object("clock", Rule::needed, [&](auto&& clock) {
    clock.text("name", m.clock);
    clock("unit", m.unit, Rule::needed);
    clock("resolution", m.resolution);
    clock("hz", m.hz, Rule::rare);
    clock("exact", m.exact);
  });
  field("max_batch", m.max_batch, Rule::usual, Range{.low = 1});
  field("can", m.can);
  field.text("note", m.note, Rule::rare);
  field("card", m.card);
}

void fields(Of<Sample> auto& m, auto&& field) {
  field("outcome", m.outcome, Rule::needed);
  if (m.outcome == Outcome::stopped || m.outcome == Outcome::ended) field("ticks", m.ticks, Rule::needed);
  std::optional<TrapId> trap;
  std::optional<std::uint32_t> hit;
  if (m.reached) trap = m.reached->trap;
  if (m.reached) hit = m.reached->hit;
  field("trap", trap);
  field("hit", hit);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(m)>>)
    if ((m.outcome == Outcome::stopped || m.outcome == Outcome::elsewhere) && trap && hit)
      m.reached = Event{.trap = *trap, .hit = *hit};
  field("status", m.status);
  field("reply", m.reply, m.outcome == Outcome::ended ? Rule::usual : Rule::rare);
  field.text("why", m.why, Rule::rare);
  field.signature("signature", m.signature);
}

void fields(Of<AgentShot> auto& m, auto&& field) {
  field("n", m.n, Rule::needed);
  field("sample", m.sample, Rule::needed);
}

void fields(Of<AgentWholeRun> auto& m, auto&& field) {
  field("events", m.events, Rule::needed);
  field("signature", m.signature, Rule::needed);
  field("mix", m.mix);
}

void fields(Of<AgentWindow> auto& m, auto&& field) {
  field("events", m.events, Rule::needed, Range{.low = 1});
  field("more", m.more);
  field.signature("signature", m.signature);
  field("mix", m.mix);
  field("run", m.run);
  field("total", m.total);
  field("outcome", m.outcome);
  field.text("why", m.why, Rule::rare);
  field("status", m.status);
  field("reply", m.reply, Rule::rare);
}

void fields(Of<AgentTicks> auto& m, auto&& field) {
  field("ticks", m.ticks, Rule::needed);
  field("passes", m.passes);
}

void fields(Of<MemoryChange> auto& m, auto&& field) {
  field("event", m.event, Rule::needed);
  field("free", m.free, Rule::needed);
}

void fields(Of<AgentMemory> auto& m, auto&& field) {
  field("window", m.window, Rule::needed);
  field("before", m.log.before, Rule::needed);
  field("after", m.log.after, Rule::needed);
  field("changes", m.log.changes, Rule::needed);
  field("cut", m.log.is_cut);
}

void fields(Of<Rung> auto& m, auto&& field) {
  field.text("name", m.name, Rule::needed);
  field("ticks", m.ticks, Rule::needed);
}

void fields(Of<AgentRungs> auto& m, auto&& field) {
  field("rungs", m.rungs, Rule::needed);
}

void fields(Of<AgentLog> auto& m, auto&& field) {
  field("log", m.log);
}

void fields(const AgentDone& /*m*/, auto&& /*field*/) {}

void fields(Of<AgentError> auto& m, auto&& field) {
  field.text("message", m.message);
  field.text("hint", m.hint, Rule::rare);
  field("exit", m.exit);
}

namespace {

/// Discarded where it is no JSON, with the reason in `fault`.
json parsed(std::string_view text, std::string& fault) {
  json root = parse_line(text);
  if (root.is_discarded())
    fault = json::accept(text) ? fmt::format("this JSON is nested more than {} levels deep", deepest_json)
                               : "this is no JSON";
  return root;
}

Breach breach(std::string_view line, std::string_view why) {
  return {fmt::format("{}: the agent wrote \"{}\"", why, excerpt(line))};
}

/// A line, read as far as all answers are alike.
struct Opened {
  json root;
  std::string fault;
  std::optional<AgentError> error;
};

Opened open(std::string_view line, std::uint64_t id) {
  Opened opened;
  opened.root = parsed(line, opened.fault);
  if (!opened.fault.empty()) return opened;
  const Reader reader(opened.root, opened.fault);
  std::uint64_t got = id;
  reader("id", got, Rule::needed);
  if (opened.fault.empty() && got != id) opened.fault = fmt::format("\"id\" is {}, {} was asked", got, id);
  if (!opened.fault.empty()) return opened;
  reader("error", opened.error);
  return opened;
}

/// In the order of AgentRequest.
const std::vector<std::pair<std::string_view, AgentRequest>>& verbs() {
  static const std::vector<std::pair<std::string_view, AgentRequest>> all{
      {"hello", AgentGreeting{}},  {"measure", MeasureRequest{}},
      {"trace", TraceRequest{}},   {"calibrate", CalibrateRequest{}},
      {"reset", ResetRequest{}},   {"layers", LayersRequest{}},
      {"record", RecordRequest{}}, {"bye", ByeRequest{}},
      {"memory", MemoryRequest{}}, {"path", PathRequest{}}};
  return all;
}

}  // namespace

bool does(const AgentDescription& agent, std::string_view verb) {
  return std::ranges::find(agent.can, verb) != agent.can.end();
}

std::string request_line(std::uint64_t id, const AgentRequest& request) {
  ordered_json line{{"id", id}, {"do", verbs()[request.index()].first}};
  std::visit([&](const auto& message) { fields(message, Writer(line)); }, request);
  return dumped(line) + "\n";
}

ReadRequest read_request(std::string_view line) {
  std::string fault;
  const json root = parsed(line, fault);
  if (!fault.empty()) return {std::nullopt, Breach{fault}};
  const Reader reader(root, fault);
  ReadRequest read;
  reader("id", read.id);
  std::string verb;
  reader("do", verb, Rule::needed);
  const auto found = std::ranges::find(verbs(), verb, &std::pair<std::string_view, AgentRequest>::first);
  if (found == verbs().end() && fault.empty()) fault = fmt::format("cannot do \"{}\"", shortened(verb));
  if (fault.empty()) {
    AgentRequest request = found->second;
    std::visit([&](auto& message) { fields(message, reader); }, request);
    read.request = std::move(request);
  }
  if (!fault.empty()) read.request = Breach{fault};
  return read;
}

std::string answer_line(std::optional<std::uint64_t> id, const AgentReply& reply) {
  ordered_json line{{"id", id ? ordered_json(*id) : ordered_json()}};
  Writer writer(line);
  if (const auto* shot = std::get_if<AgentShot>(&reply))
    fields(*shot, writer);
  else
    std::visit([&](const auto& message) { writer(reply.index() == 0 ? "error" : "ok", message); }, reply);
  return dumped(line);
}

template <class T>
AgentAnswer<T> read_answer(std::string_view line, std::uint64_t id) {
  Opened opened = open(line, id);
  T value;
  if (opened.fault.empty() && opened.error) return *opened.error;
  if (opened.fault.empty() && !opened.root.contains("ok")) opened.fault = "neither \"ok\" nor \"error\"";
  if (opened.fault.empty()) fields(value, Reader(opened.root["ok"], opened.fault));
  if (!opened.fault.empty()) return breach(line, opened.fault);
  return value;
}
template AgentAnswer<AgentDone> read_answer(std::string_view, std::uint64_t);
template AgentAnswer<AgentDescription> read_answer(std::string_view, std::uint64_t);
template AgentAnswer<AgentWindow> read_answer(std::string_view, std::uint64_t);
template AgentAnswer<AgentTicks> read_answer(std::string_view, std::uint64_t);
template AgentAnswer<AgentRungs> read_answer(std::string_view, std::uint64_t);
template AgentAnswer<AgentLog> read_answer(std::string_view, std::uint64_t);
template AgentAnswer<AgentMemory> read_answer(std::string_view, std::uint64_t);

std::variant<AgentShot, AgentDone, AgentError, Breach> read_shot(std::string_view line, std::uint64_t id) {
  Opened opened = open(line, id);
  AgentShot sample;
  if (opened.fault.empty() && opened.error) return *opened.error;
  if (opened.fault.empty() && opened.root.contains("ok")) return AgentDone{};
  if (opened.fault.empty()) fields(sample, Reader(opened.root, opened.fault));
  if (!opened.fault.empty()) return breach(line, opened.fault);
  return sample;
}

}  // namespace jcprof
