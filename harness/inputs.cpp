// SPDX-License-Identifier: Apache-2.0
#include "harness/inputs.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <numeric>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/hex.hpp"
#include "src/core/text.hpp"
#include "src/engine/random.hpp"

namespace jcprof::harness {
namespace {

constexpr std::size_t longest_input = 65535;
// Each try at a source with few different values may bring one that is there already.
constexpr std::uint32_t tries_per_draw = 20;

using Inputs = std::vector<StoredInput>;  // numbered at the end

Bytes bytes_of(std::string_view hex, const Place& place) {
  std::optional<Bytes> bytes = parse_hex(hex);
  if (!bytes)
    throw UserError(
        Fault{.message = fmt::format("input \"{}\" is not whole bytes of hex", hex), .place = place});
  if (bytes->size() > longest_input)
    throw UserError(
        Fault{.message = fmt::format("an input of {} bytes, at most 65,535 can be sent", bytes->size()),
              .place = place});
  return *bytes;
}

Inputs from_list(const InputList& list) {
  Inputs inputs;
  for (const std::string& hex : list.hex) inputs.push_back({.bytes = bytes_of(hex, {}), .input_class = {}});
  return inputs;
}

Inputs from_file(const InputFile& input, const std::filesystem::path& root) {
  const std::filesystem::path file = root / input.path;
  const std::string text = read_file(file);
  Inputs inputs;
  std::size_t line = 0;
  for (const std::string_view whole : lines_of(text)) {
    ++line;
    const std::string_view hex = trimmed(whole.substr(0, whole.find('#')));
    if (!hex.empty())
      inputs.push_back({.bytes = bytes_of(hex, {.file = file.string(), .line = line}), .input_class = {}});
  }
  if (inputs.empty())
    throw UserError(
        Fault{.message = "no inputs in it", .place = {.file = file.string()}, .hint = "one in hex a line"});
  return inputs;
}

/// A pattern as, for each hex digit, the digits that may stand there.
class Pattern {
 public:
  explicit Pattern(std::string_view text) : text_(text), rest_(text) {
    while (!rest_.empty()) take_element();
    if (digits_.size() % 2 != 0) fail("it has an odd number of digits");
  }

  Bytes pick(std::uint64_t seed, std::uint64_t stream) const {
    std::string hex;
    for (std::size_t i = 0; i < digits_.size(); ++i)
      hex += digits_[i][engine::draw(seed, stream, i, digits_[i].size())];
    return *parse_hex(hex);
  }

 private:
  void take_element() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (c == ' ') return;
    if (c == '[') {
      digits_.push_back(take_set());
    } else if (c == '{') {
      repeat();
    } else if (std::isxdigit(static_cast<unsigned char>(c)) != 0) {
      digits_.emplace_back(1, c);
    } else {
      fail(fmt::format("\"{}\" is no hex digit", c));
    }
  }

  std::string take_set() {
    const std::string_view set = up_to(']');
    std::string digits;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const int low = value_of(set[i]);
      const bool is_range = i + 2 < set.size() && set[i + 1] == '-';
      const int high = is_range ? value_of(set[i + 2]) : low;
      if (is_range) i += 2;
      if (low > high) fail(fmt::format("the range in [{}] runs backwards", set));
      for (int value = low; value <= high; ++value) digits += "0123456789abcdef"[value];
    }
    if (digits.empty()) fail("[] holds nothing");
    return digits;
  }

  void repeat() {
    const std::string_view number = up_to('}');
    const bool is_number = !number.empty() && number.size() <= 6 &&
                           std::ranges::all_of(number, [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!is_number || digits_.empty()) fail(fmt::format("{{{}}} repeats nothing", number));
    const std::size_t times = std::stoul(std::string(number));
    if (times == 0 || digits_.size() + times > 2 * longest_input)
      fail(fmt::format("{{{}}} is out of range", number));
    const std::string last = digits_.back();
    digits_.insert(digits_.end(), times - 1, last);
  }

  std::string_view up_to(char end) {
    const std::size_t at = rest_.find(end);
    if (at == std::string_view::npos) fail(fmt::format("a \"{}\" is missing", end));
    const std::string_view inner = rest_.substr(0, at);
    rest_.remove_prefix(at + 1);
    return inner;
  }

  int value_of(char c) const {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    fail(fmt::format("\"{}\" is no hex digit", c));
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw UserError(Fault{
        .message = fmt::format("input pattern \"{}\": {}", text_, why),
        .hint = "hex digits, sets like [0-9A-F], and {n} for n times the one before: \"00[0-9A-F]{2}\""});
  }

  std::string_view text_;
  std::string_view rest_;
  std::vector<std::string> digits_;
};

Inputs draw_distinct(const Pattern& pattern, const InputSettings& settings) {
  Inputs inputs;
  std::set<Bytes> seen;
  for (std::uint32_t i = 0; i < settings.drawn * tries_per_draw && inputs.size() < settings.drawn; ++i) {
    Bytes bytes = pattern.pick(settings.seed, i);
    if (seen.insert(bytes).second) inputs.push_back({.bytes = std::move(bytes), .input_class = {}});
  }
  return inputs;
}

Inputs from_random(const RandomInput& random, const InputSettings& settings) {
  if (random.bytes == 0) return {StoredInput{}};
  return draw_distinct(Pattern(fmt::format("[0-9a-f]{{{}}}", 2 * random.bytes)), settings);
}

std::size_t property(SplitBy by, const Bytes& bytes) {
  if (by == SplitBy::hamming_weight)
    return std::accumulate(bytes.begin(), bytes.end(), std::size_t{0},
                           [](std::size_t sum, std::uint8_t byte) {
                             return sum + static_cast<std::size_t>(std::popcount(byte));
                           });
  const auto first = std::ranges::find_if(bytes, [](std::uint8_t byte) { return byte != 0; });
  if (first == bytes.end()) return 0;
  return static_cast<std::size_t>(bytes.end() - first - 1) * 8 +
         static_cast<std::size_t>(std::bit_width(*first));
}

Inputs expand(const InputSpec& spec, const InputSettings& settings);

Inputs from_classes(const InputClasses& classes, const InputSettings& settings) {
  Inputs inputs;
  for (const auto& [name, spec] : classes.classes)
    for (StoredInput& one : expand(spec, settings)) {
      one.input_class = name;
      inputs.push_back(std::move(one));
    }
  return inputs;
}

Inputs from_split(const InputSplit& split, const InputSettings& settings) {
  Inputs inputs = expand(split.of, settings);
  std::vector<std::size_t> values;
  for (const StoredInput& one : inputs) values.push_back(property(split.by, one.bytes));
  std::vector<std::size_t> sorted = values;
  std::ranges::sort(sorted);
  // With many alike the median may be the smallest: then what is above it makes the other half.
  std::size_t limit = sorted[sorted.size() / 2];
  if (limit == sorted.front()) limit = *std::ranges::upper_bound(sorted.begin(), sorted.end() - 1, limit);
  if (limit == sorted.front())
    throw UserError(Fault{.message = fmt::format("the inputs cannot be split: all of them have {} {}", limit,
                                                 split.by == SplitBy::hamming_weight ? "bits set" : "bits")});
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].input_class = values[i] < limit ? "low" : "high";
  return inputs;
}

struct Expand {
  const InputSettings& settings;

  Inputs operator()(const std::monostate&) const { return {StoredInput{}}; }
  Inputs operator()(const FixedInput& fixed) const { return from_list({{fixed.hex}}); }
  Inputs operator()(const InputList& list) const { return from_list(list); }
  Inputs operator()(const InputFile& file) const { return from_file(file, settings.root); }
  Inputs operator()(const InputPattern& pattern) const {
    return draw_distinct(Pattern(pattern.pattern), settings);
  }
  Inputs operator()(const RandomInput& random) const { return from_random(random, settings); }
  Inputs operator()(const std::shared_ptr<InputClasses>& classes) const {
    return from_classes(*classes, settings);
  }
  Inputs operator()(const std::shared_ptr<InputSplit>& split) const { return from_split(*split, settings); }
};

Inputs expand(const InputSpec& spec, const InputSettings& settings) {
  Inputs inputs = std::visit(Expand{settings}, spec);
  if (inputs.empty()) throw UserError(Fault{.message = "\"inputs\" of jcprof.json names none"});
  return inputs;
}

}  // namespace

std::vector<StoredInput> make_inputs(const InputSpec& spec, const InputSettings& settings) {
  Inputs inputs = expand(spec, settings);
  std::uint32_t next = 0;
  for (StoredInput& one : inputs) one.index = next++;
  return inputs;
}

std::vector<StoredInput> give_inputs(const Project& project, std::uint64_t seed, Transport& transport,
                                     std::uint32_t drawn) {
  std::vector<StoredInput> inputs =
      make_inputs(project.inputs, {.root = project.root, .seed = seed, .drawn = drawn});
  std::vector<Bytes> bytes;
  for (const StoredInput& input : inputs) bytes.push_back(input.bytes);
  transport.set_inputs(std::move(bytes));
  return inputs;
}

}  // namespace jcprof::harness
