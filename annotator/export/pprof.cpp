// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/exports.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <protozero/pbf_builder.hpp>

#define ZLIB_CONST
#include <zlib.h>

#include "annotator/started.hpp"
#include "annotator/tree_walk.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

// The numbers of fields are those of pprof's profile.proto.
enum class ProfileField : protozero::pbf_tag_type {
  sample_type = 1,
  sample = 2,
  mapping = 3,
  location = 4,
  function = 5,
  string_table = 6,
  time_nanos = 9,
  comment = 13,
  default_sample_type = 14
};
enum class ValueTypeField : protozero::pbf_tag_type { type = 1, unit = 2 };
enum class SampleField : protozero::pbf_tag_type { location_id = 1, value = 2, label = 3 };
enum class LabelField : protozero::pbf_tag_type { key = 1, str = 2 };
enum class MappingField : protozero::pbf_tag_type {
  id = 1,
  filename = 5,
  has_functions = 7,
  has_filenames = 8,
  has_line_numbers = 9
};
enum class LocationField : protozero::pbf_tag_type { id = 1, mapping_id = 2, line = 4 };
enum class LineField : protozero::pbf_tag_type { function_id = 1, line = 2 };
enum class FunctionField : protozero::pbf_tag_type {
  id = 1,
  name = 2,
  system_name = 3,
  filename = 4,
  start_line = 5
};

template <class Field>
using Message = protozero::pbf_builder<Field>;

/// 0, which is unknown, of years that 64 bits do not hold.
std::int64_t nanoseconds_of(const std::string& started) {
  constexpr std::int64_t factor = 1'000'000;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / factor;
  const std::int64_t milliseconds = milliseconds_of(started);
  return milliseconds >= -most && milliseconds <= most ? milliseconds * factor : 0;
}

class Pprof {
 public:
  explicit Pprof(const Profile& profile)
      : profile_(profile), tree_(in_whole_ticks(in_most_depth(exported_tree(profile)))) {}

  std::string text() {
    const bool is_time = profile_.run.unit == ClockUnit::ns;
    const std::string_view cost = is_time ? "time" : name_of(profile_.run.unit);
    string("");  // the first one must be empty
    add_type("calls", "count");
    add_type(cost, is_time ? "nanoseconds" : "count");
    each_stack(tree_, [&](const StackCost& stack) { add(stack); });
    message_.add_int64(ProfileField::time_nanos, nanoseconds_of(profile_.run.started));
    std::vector<std::int64_t> comments;
    for (const std::string& comment : comments_of(profile_)) comments.push_back(string(comment));
    message_.add_packed_int64(ProfileField::comment, comments.begin(), comments.end());
    message_.add_int64(ProfileField::default_sample_type, string(cost));
    for (const std::string& text : in_order_) message_.add_string(ProfileField::string_table, text);
    return std::move(bytes_);
  }

 private:
  using FunctionKey = std::pair<std::uint32_t, std::string>;  // function and the file of one of its lines
  using LocationKey = std::pair<std::uint64_t, std::size_t>;  // function's number and line

  static std::vector<std::string> comments_of(const Profile& profile) {
    const RunInfo& run = profile.run;
    std::vector<std::string> comments{
        fmt::format("{} on {}{}", run.project, run.device, run.simulated ? ", SIMULATED" : ""),
        fmt::format("{} over {}, started {}", run.tool, run.transport, run.started)};
    comments.insert(comments.end(), profile.warnings.begin(), profile.warnings.end());
    return comments;
  }

  std::int64_t string(std::string_view given) {
    const auto [found, is_new] =
        strings_.try_emplace(plain_line(given), static_cast<std::int64_t>(strings_.size()));
    if (is_new) in_order_.push_back(found->first);
    return found->second;
  }

  void add_type(std::string_view type, std::string_view unit) {
    Message<ValueTypeField> message(message_, ProfileField::sample_type);
    message.add_int64(ValueTypeField::type, string(type));
    message.add_int64(ValueTypeField::unit, string(unit));
  }

  /// Threads are labels, and frames only where nothing else is under way.
  void add(const StackCost& stack) {
    const CostNode& last = tree_.nodes[stack.nodes.back()];
    const bool has_calls = stack.is_first && !tree_.functions[last.function].is_thread;
    const std::vector<std::int64_t> values{has_calls ? static_cast<std::int64_t>(last.calls) : 0,
                                           static_cast<std::int64_t>(stack.cost)};
    if (values[0] == 0 && stack.cost < 1) return;
    const CostFunction& root = tree_.functions[tree_.nodes[stack.nodes.front()].function];
    const std::size_t outermost = root.is_thread && stack.nodes.size() > 1 ? 1 : 0;
    std::vector<std::uint64_t> locations;  // innermost first
    for (std::size_t i = stack.nodes.size(); i-- > outermost;) locations.push_back(location_in(stack, i));
    const std::int64_t thread = root.is_thread ? string(thread_label(root)) : 0;
    Message<SampleField> message(message_, ProfileField::sample);
    message.add_packed_uint64(SampleField::location_id, locations.begin(), locations.end());
    message.add_packed_int64(SampleField::value, values.begin(), values.end());
    if (!root.is_thread) return;
    Message<LabelField> label(message, SampleField::label);
    label.add_int64(LabelField::key, string("thread"));
    label.add_int64(LabelField::str, thread);
  }

  /// "1 words" of "thread 1 words".
  static std::string_view thread_label(const CostFunction& function) {
    return std::string_view(function.name).substr(std::string_view("thread ").size());
  }

  /// The line that costs or calls, or else the function's own.
  std::uint64_t location_in(const StackCost& stack, std::size_t i) {
    const std::uint32_t index = tree_.nodes[stack.nodes[i]].function;
    const CostFunction& known = tree_.functions[index];
    const bool is_last = i + 1 == stack.nodes.size();
    if (is_last && stack.line != nullptr)
      return location(function(index, stack.line->path), stack.line->line);
    const std::size_t from = is_last ? 0 : tree_.nodes[stack.nodes[i + 1]].from_line;
    return location(function(index, known.path), from > 0 ? from : known.line);
  }

  std::uint64_t location(std::uint64_t function, std::size_t line) {
    const auto [found, is_new] = locations_.try_emplace({function, line}, locations_.size() + 1);
    if (!is_new) return found->second;
    const std::uint64_t module = mapping(tree_.functions[owners_[function - 1]].module);
    Message<LocationField> message(message_, ProfileField::location);
    message.add_uint64(LocationField::id, found->second);
    message.add_uint64(LocationField::mapping_id, module);
    Message<LineField> at(message, LocationField::line);
    at.add_uint64(LineField::function_id, function);
    at.add_int64(LineField::line, static_cast<std::int64_t>(line));
    return found->second;
  }

  std::uint64_t function(std::uint32_t index, const std::string& path) {
    const auto [found, is_new] = functions_.try_emplace({index, path}, functions_.size() + 1);
    if (!is_new) return found->second;
    const CostFunction& known = tree_.functions[index];
    owners_.push_back(index);
    Message<FunctionField> message(message_, ProfileField::function);
    message.add_uint64(FunctionField::id, found->second);
    message.add_int64(FunctionField::name, string(known.name));
    message.add_int64(FunctionField::system_name, string(known.name));
    message.add_int64(FunctionField::filename, string(path));
    message.add_int64(FunctionField::start_line, static_cast<std::int64_t>(known.line));
    return found->second;
  }

  /// Says that names and lines are known, so that nobody looks for the binary.
  std::uint64_t mapping(const std::string& module) {
    const std::string& file = module.empty() ? profile_.run.project : module;
    const auto [found, is_new] = mappings_.try_emplace(file, mappings_.size() + 1);
    if (!is_new) return found->second;
    Message<MappingField> message(message_, ProfileField::mapping);
    message.add_uint64(MappingField::id, found->second);
    message.add_int64(MappingField::filename, string(file));
    for (const MappingField known :
         {MappingField::has_functions, MappingField::has_filenames, MappingField::has_line_numbers})
      message.add_bool(known, true);
    return found->second;
  }

  const Profile& profile_;
  CostTree tree_;
  std::string bytes_;
  Message<ProfileField> message_{bytes_};
  std::map<std::string, std::int64_t, std::less<>> strings_;
  std::vector<std::string> in_order_;
  std::map<FunctionKey, std::uint64_t> functions_;
  std::vector<std::uint32_t> owners_;  // their indices in the tree
  std::map<LocationKey, std::uint64_t> locations_;
  std::map<std::string, std::uint64_t> mappings_;
};

/// As `gzip -n` packs them: without a time, so that the same bytes give the same.
std::string gzip(std::string_view bytes) {
  constexpr int gzip_wrapper = 16;  // added to the bits of the window
  constexpr int memory_level = 8;   // zlib's own default
  z_stream stream{};
  check(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + gzip_wrapper, memory_level,
                     Z_DEFAULT_STRATEGY) == Z_OK,
        "zlib begins");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ends(&stream, deflateEnd);
  std::string packed;
  std::array<Bytef, 65536> room{};
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    // A stream counts in 32 bits.
    const auto piece = static_cast<uInt>(std::min<std::size_t>(bytes.size(), 1U << 30U));
    stream.next_in = reinterpret_cast<const Bytef*>(bytes.data());
    stream.avail_in = piece;
    stream.next_out = room.data();
    stream.avail_out = static_cast<uInt>(room.size());
    status = deflate(&stream, piece == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    check(status == Z_OK || status == Z_STREAM_END, "zlib packs");
    bytes.remove_prefix(piece - stream.avail_in);
    packed.append(reinterpret_cast<const char*>(room.data()), room.size() - stream.avail_out);
  }
  return packed;
}

}  // namespace

std::string to_pprof(const Profile& profile) {
  return gzip(Pprof(profile).text());
}

}  // namespace jcprof::annotator
