// SPDX-License-Identifier: Apache-2.0
// What is sent to the target: arming, session scripts, trigger and inputs.
#include <algorithm>

#include <fmt/format.h>

#include "src/core/hex.hpp"
#include "src/core/project_parts.hpp"
#include "src/core/project_text.hpp"

namespace jcprof {
namespace {

OneOf<ResetMode> reset_kind() {
  return {"kind of reset", {{"warm", ResetMode::warm}, {"cold", ResetMode::cold}}};
}

/// Hex of exactly `size` bytes.
struct HexNumber {
  std::size_t size = 1;
  template <class T>
  void operator()(const JsonNode& node, T& to, JsonFaults& faults) const {
    std::string hex;
    if (!is_kind(node, JsonKind::string, faults)) return;
    read_hex(node, hex, faults);
    const Bytes bytes = parse_hex(hex).value_or(Bytes{});
    if (hex == node.text && bytes.size() != size)
      faults.add(node, fmt::format("{} hexadecimal digits are expected here", 2 * size));
    else
      for (const std::uint8_t byte : bytes) to = static_cast<T>(to * 256U + byte);
  }
};

void read_cla(const JsonNode& node, std::uint8_t& to, JsonFaults& faults) {
  HexNumber{1}(node, to, faults);
  if (to == 0xFF) faults.add(node, "a CLA of FF cannot be sent");  // ISO 7816-3, 10.3.2
}

/// ISO 7816-3, 10.3.2: an INS of 6X or 9X would be taken for a status word.
void read_ins(const JsonNode& node, std::uint8_t& to, JsonFaults& faults) {
  HexNumber{1}(node, to, faults);
  const unsigned high = to >> 4U;
  if (high == 6 || high == 9) faults.add(node, fmt::format("an INS of {:X}X cannot be sent", high));
}

/// 60XX, 61XX and 6CXX make readers wait, or send commands of their own.
void read_stop_status(const JsonNode& node, std::uint16_t& to, JsonFaults& faults) {
  HexNumber{2}(node, to, faults);
  const unsigned high = to >> 8U;
  const bool is_status = (high >> 4U == 6 || high >> 4U == 9) && to != 0x9000;
  if (to == 0 || (is_status && high != 0x60 && high != 0x61 && high != 0x6C)) return;
  faults.add(node, fmt::format("the status {:04X} cannot say \"stopped\"", to),
             "6xxx or 9xxx, but not 9000, 60xx, 61xx or 6Cxx");
}

// What a timed program and the steps around it may name.
const std::vector<std::string>& program_placeholders() {
  static const std::vector<std::string> names{"tree", "out", "project", "input", "seed"};
  return names;
}

void read_object_step(const JsonNode& node, ScriptStep& to, JsonFaults& faults) {
  ObjectReader object(node, faults);
  const JsonNode* expect = object.find("expect");
  const JsonMember* what = object.exactly_one({"apdu", "reset", "run", "wait"});
  if (what != nullptr && what->key == "apdu") {
    ApduStep step;
    read_apdu(what->value, step.apdu, faults);
    if (expect != nullptr) read_status_pattern(*expect, step.expect, faults);
    to = step;
  } else if (what != nullptr && expect != nullptr) {
    faults.add(*expect, fmt::format("\"expect\" goes with \"apdu\", not with \"{}\"", what->key));
  } else if (what != nullptr && what->key == "reset") {
    reset_kind()(what->value, to.emplace<ResetStep>().mode, faults);
  } else if (what != nullptr && what->key == "run") {
    Argv{program_placeholders()}(what->value, to.emplace<RunStep>().run, faults);
  } else if (what != nullptr) {
    read_duration(what->value, to.emplace<WaitStep>().time, faults);
  }
  object.refuse_the_rest();
}

void read_script(const JsonNode& node, Script& to, JsonFaults& faults) {
  if (!is_kind(node, JsonKind::array, faults)) return;
  for (const JsonNode& element : node.elements) {
    ScriptStep& step = to.emplace_back();
    if (element.kind == JsonKind::string)
      read_apdu(element, std::get<ApduStep>(step).apdu, faults);
    else if (element.kind == JsonKind::object)
      read_object_step(element, step, faults);
    else
      faults.add(element,
                 fmt::format("an APDU in hex or an object is expected here, not {}", name_of(element.kind)));
  }
}

void read_script_after_reset(const JsonNode& node, Script& to, JsonFaults& faults) {
  read_script(node, to, faults);
  for (std::size_t i = 0; i < to.size(); ++i)
    if (std::holds_alternative<ResetStep>(to[i]))
      faults.add(node.elements[i], "a reset within \"after_reset\" would never end");
}

void read_status_patterns(const JsonNode& node, std::vector<std::string>& to, JsonFaults& faults) {
  if (!is_kind(node, JsonKind::array, faults)) return;
  to.clear();
  for (const JsonNode& element : node.elements) read_status_pattern(element, to.emplace_back(), faults);
}

/// A step of a trusted application's script: the agent's to understand, so only its kind is looked at.
void check_ta_step(const JsonNode& node, JsonFaults& faults) {
  ObjectReader object(node, faults);
  std::string text;
  std::chrono::milliseconds time{};
  const JsonNode* params = object.find("params");
  const JsonNode* expect = object.find("expect");
  const JsonMember* what = object.exactly_one({"command", "wait", "reset"});
  object.refuse_the_rest();
  if (what == nullptr) return;
  if (what->key == "wait") read_duration(what->value, time, faults);
  if (what->key == "reset") index_of_name(what->value, "kind of reset", {"session", "target"}, faults);
  if (what->key == "command" && params != nullptr) is_kind(*params, JsonKind::array, faults);
  if (what->key == "command" && expect != nullptr) read_string(*expect, text, faults);
  for (const JsonNode* other : {params, expect})
    if (what->key != "command" && other != nullptr)
      faults.add(*other, fmt::format("this goes with \"command\", not with \"{}\"", what->key));
}

void check_ta_script(const JsonNode& node, Script&, JsonFaults& faults) {
  if (!is_kind(node, JsonKind::array, faults)) return;
  for (const JsonNode& element : node.elements) check_ta_step(element, faults);
}

/// One that runs when the session has been opened.
void check_ta_opening(const JsonNode& node, Script& to, JsonFaults& faults) {
  check_ta_script(node, to, faults);
  if (compact(node).find("{input}") != std::string::npos)
    faults.add(node, "{input} has no value here: no shot is under way");
  for (const JsonNode& element : node.elements)
    if (std::ranges::find(element.members, "reset", &JsonMember::key) != element.members.end())
      faults.add(element, "a reset that runs after each reset would never end");
}

void read_timeout(const JsonNode& node, std::chrono::milliseconds& to, JsonFaults& faults) {
  read_duration(node, to, faults);
  if (to.count() == 0) faults.add(node, "a time-out must be longer than 0");
}

/// The hook of a secure channel.
void read_exchange(const JsonNode& node, std::vector<std::string>& to, JsonFaults& faults) {
  ObjectReader object(node, faults);
  object.required("run", to, Argv{{"tree", "out", "project", "reader"}});
  object.refuse_the_rest();
}

void read_apdus(const JsonNode& node, std::vector<std::string>& to, JsonFaults& faults) {
  if (node.kind == JsonKind::string) return read_apdu(node, to.emplace_back(), faults);
  if (node.kind != JsonKind::array || node.elements.empty())
    return faults.add(node, "an APDU in hex or a list of APDUs is expected here");
  for (const JsonNode& element : node.elements) read_apdu(element, to.emplace_back(), faults);
}

enum class InputNesting : std::uint8_t { outermost, inner };
InputSpec input_spec(const JsonNode& node, InputNesting nesting, JsonFaults& faults);

InputSpec fixed_input(const JsonNode& value, JsonFaults& faults) {
  FixedInput input;
  read_hex(value, input.hex, faults);
  return input;
}

InputSpec input_list(const JsonNode& value, JsonFaults& faults) {
  InputList list;
  if (!is_kind(value, JsonKind::array, faults)) return list;
  if (value.elements.empty()) faults.add(value, "this must not be empty");
  for (const JsonNode& element : value.elements) read_hex(element, list.hex.emplace_back(), faults);
  return list;
}

InputSpec input_classes(const JsonNode& value, JsonFaults& faults) {
  auto classes = std::make_shared<InputClasses>();
  if (is_kind(value, JsonKind::object, faults) && value.members.size() < 2)
    faults.add(value, "at least two classes are needed, to be compared");
  for (const JsonMember& member : value.members)
    classes->classes.emplace_back(member.key, input_spec(member.value, InputNesting::inner, faults));
  return classes;
}

InputSpec input_split(const JsonNode& value, const JsonNode* of, JsonFaults& faults) {
  auto split = std::make_shared<InputSplit>();
  OneOf<SplitBy>{"property",
                 {{"hamming-weight", SplitBy::hamming_weight}, {"bit-length", SplitBy::bit_length}}}(
      value, split->by, faults);
  if (of == nullptr)
    faults.add(value, "\"split\" needs \"of\": the inputs that are split");
  else
    split->of = input_spec(*of, InputNesting::inner, faults);
  return split;
}

InputSpec input_of_form(const JsonMember& form, const JsonNode* of, JsonFaults& faults) {
  const JsonNode& value = form.value;
  if (form.key == "fixed") return fixed_input(value, faults);
  if (form.key == "list") return input_list(value, faults);
  if (form.key == "classes") return input_classes(value, faults);
  if (form.key == "split") return input_split(value, of, faults);
  if (form.key == "file") {
    InputFile file;
    read_string(value, file.path, faults);
    return file;
  }
  if (form.key == "pattern") {
    InputPattern pattern;
    read_input_pattern(value, pattern.pattern, faults);
    return pattern;
  }
  check(form.key == "random", "every form of inputs is read");
  RandomInput random;
  Natural{.lowest = 1, .highest = 65535}(value, random.bytes, faults);
  return random;
}

InputSpec input_spec(const JsonNode& node, InputNesting nesting, JsonFaults& faults) {
  ObjectReader object(node, faults);
  const JsonNode* of = object.find("of");
  const JsonMember* form =
      object.exactly_one({"fixed", "list", "file", "pattern", "random", "classes", "split"});
  object.refuse_the_rest();
  if (form == nullptr) return {};
  const bool is_nested = form->key == "classes" || form->key == "split";
  if (is_nested && nesting == InputNesting::inner)
    faults.add(form->key_offset, fmt::format("\"{}\" cannot stand inside of other inputs", form->key));
  else if (of != nullptr && form->key != "split")
    faults.add(*of, "\"of\" goes with \"split\"");
  else
    return input_of_form(*form, of, faults);
  return {};
}

}  // namespace

void read_arming(const JsonNode& node, std::optional<CardArming>& to, JsonFaults& faults) {
  CardArming& arming = to.emplace();
  ObjectReader object(node, faults);
  object.required("cla", arming.cla, read_cla);
  object.required("ins", arming.ins, read_ins);
  object.required("status", arming.stop_status, read_stop_status);
  object.refuse_the_rest();
}

void read_session(const JsonNode& node, Session& to, JsonFaults& faults) {
  const OneOf<ResetMode> reset{
      "reset", {{"never", ResetMode::never}, {"warm", ResetMode::warm}, {"cold", ResetMode::cold}}};
  ObjectReader object(node, faults);
  object.optional("once", to.once, read_script);
  object.optional("before_each", to.before_each, read_script);
  object.optional("after_each", to.after_each, read_script);
  object.optional("after_reset", to.after_reset, read_script_after_reset);
  object.optional("reset", to.reset, reset);
  object.optional("timeout", to.timeout, read_timeout);
  object.optional("abort_on", to.abort_on, read_status_patterns);
  object.optional("exchange", to.exchange, read_exchange);
  object.refuse_the_rest();
  to.object = compact(node);
}

void read_ta_session(const JsonNode& node, Session& to, JsonFaults& faults) {
  ObjectReader object(node, faults);
  object.optional("once", to.once, check_ta_opening);
  object.optional("before_each", to.before_each, check_ta_script);
  object.optional("after_each", to.after_each, check_ta_script);
  object.optional("after_reset", to.after_reset, check_ta_opening);
  object.optional("timeout", to.timeout, read_timeout);
  object.refuse_the_rest();
  to.object = compact(node);
}

void read_card_trigger(const JsonNode& node, Trigger& to, JsonFaults& faults) {
  ObjectReader object(node, faults);
  object.required("apdu", to.apdus, read_apdus);
  object.optional("le", to.le, Natural{.highest = 65536});
  if (to.le && std::ranges::any_of(to.apdus, has_own_le))
    faults.add(*object.find("le"), "\"le\" is given, but an APDU of the trigger ends with an Le of its own");
  object.optional("expect", to.expect, read_status_pattern);
  object.optional("counts_tries", to.counts_tries,
                  [](const JsonNode& value, std::optional<bool>& counts, JsonFaults& all) {
                    read_boolean(value, counts.emplace(), all);
                  });
  object.refuse_the_rest();
}

void read_program_trigger(const JsonNode& node, Trigger& to, JsonFaults& faults) {
  ObjectReader object(node, faults);
  const OneOf<ProgramClock> clock{"clock", {{"wall", ProgramClock::wall}, {"cpu", ProgramClock::cpu}}};
  object.required("run", to.run, Argv{program_placeholders()});
  object.optional("cwd", to.cwd, FilledString{{"tree", "out", "project"}});
  object.optional("stdin", to.input, FilledString{program_placeholders()});
  object.optional("clock", to.clock, clock);
  object.optional("expect", to.expect, StatusAlternatives{StatusForm::decimal});
  object.refuse_the_rest();
}

void read_agent_trigger(const JsonNode& node, StatusForm form, Trigger& to, JsonFaults& faults) {
  ObjectReader object(node, faults);
  object.optional("expect", to.expect, StatusAlternatives{form});
  JsonNode rest = node;
  std::erase_if(rest.members, [](const JsonMember& member) { return member.key == "expect"; });
  to.object = compact(rest);
}

void read_agent(const JsonNode& node, AgentOptions& to, JsonFaults& faults) {
  ObjectReader object(node, faults);
  object.optional("per_batch", to.per_batch, read_boolean);
  object.optional("options", to.options, [](const JsonNode& options, std::string& text, JsonFaults& all) {
    if (is_kind(options, JsonKind::object, all)) text = compact(options);
  });
  object.refuse_the_rest();
}

void read_inputs(const JsonNode& node, InputSpec& to, JsonFaults& faults) {
  to = input_spec(node, InputNesting::outermost, faults);
}

}  // namespace jcprof
