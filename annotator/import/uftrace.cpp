// SPDX-License-Identifier: Apache-2.0
// A folder of `uftrace record`. Its files' format is uftrace's own, so `uftrace dump` reads them.
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "annotator/import/formats.hpp"
#include "annotator/import/scanner.hpp"
#include "annotator/import/traced.hpp"
#include "annotator/record/symbols.hpp"
#include "src/core/file.hpp"
#include "src/core/install_hint.hpp"
#include "src/core/process.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::string_view uftrace_magic = "Ftrace!";

[[noreturn]] void refuse_folder(const std::filesystem::path& folder, std::string message) {
  throw UserError(Fault{.message = std::move(message),
                        .place = {.file = folder.string()},
                        .hint = "`uftrace dump -d FOLDER` shows what uftrace makes of it"});
}

struct DumpedEvent {
  std::uint64_t at = 0;  // ns
  std::uint32_t tid = 0;
  std::string_view kind;  // "entry", "exit " or "lost "
  std::string_view function;
  std::string_view address;  // of what was lost, the count
};

/// "1234.567890123   42: [entry] NAME(ADDRESS) depth: 0"; all other lines are no events of functions.
std::optional<DumpedEvent> event_in(std::string_view line) {
  const std::size_t open = line.find(": [");
  const std::size_t close = line.find("] ", open);
  const std::size_t end = line.rfind(") depth: ");
  if (close == std::string_view::npos || end == std::string_view::npos || end < close) return std::nullopt;
  std::string_view numbers = line.substr(0, open);
  const std::string_view time = take_word(numbers);
  const auto tid = whole_number<std::uint32_t>(trimmed(numbers));
  const std::size_t point = time.find('.');
  if (!tid || point == std::string_view::npos || time.size() != point + 10) return std::nullopt;
  const auto seconds = whole_number<std::uint32_t>(time.substr(0, point));
  const auto ns = whole_number<std::uint32_t>(time.substr(point + 1));
  const std::string_view call = line.substr(close + 2, end - close - 2);
  const std::size_t address = call.rfind('(');
  if (!seconds || !ns || address == std::string_view::npos) return std::nullopt;
  return DumpedEvent{.at = std::uint64_t{*seconds} * 1'000'000'000 + *ns,
                     .tid = *tid,
                     .kind = line.substr(open + 3, close - open - 3),
                     .function = call.substr(0, address),
                     .address = call.substr(address + 1)};
}

void take_event(const DumpedEvent& event, CallTracer& tracer) {
  if (event.kind == "entry") tracer.enter(event.tid, demangled(std::string(event.function)), event.at);
  if (event.kind == "exit ") tracer.leave(event.tid, demangled(std::string(event.function)), event.at);
  if (event.kind == "lost ")
    tracer.lose(event.tid, whole_number<std::uint64_t>(event.address, 16).value_or(1));
}

/// Whole lines, as they come. False where one is too long.
bool read_lines(int fd, const auto& each) {
  constexpr std::size_t longest = 1 << 20;
  std::string rest;
  std::array<char, 1 << 16> buffer{};
  while (true) {
    const ::ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    const std::string_view part(buffer.data(), static_cast<std::size_t>(got));
    const std::size_t newline = part.rfind('\n');
    const std::size_t whole = newline == std::string_view::npos ? 0 : rest.size() + newline + 1;
    rest += part;
    if (rest.size() - whole > longest) return false;
    if (whole == 0) continue;
    for (const std::string_view line : lines_of(std::string_view(rest).substr(0, whole))) each(line);
    rest.erase(0, whole);
  }
}

/// The text behind `name` in the file "info", which begins with some bytes.
std::string info_fact(std::string_view info, std::string_view name) {
  const std::size_t at = info.find(name);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = info.substr(at + name.size());
  return std::string(trimmed(rest.substr(0, rest.find('\n'))));
}

}  // namespace

bool is_uftrace(const std::filesystem::path& folder) {
  return std::filesystem::is_regular_file(folder / "info") &&
         read_file(folder / "info").starts_with(uftrace_magic);
}

RecordedRun read_uftrace(const std::filesystem::path& folder) {
  const std::string info = read_file(folder / "info");
  RecordedRun run{.info = {.project = std::filesystem::path(info_fact(info, "exename:")).filename().string(),
                           .agent = "uftrace",
                           .device = info_fact(info, "cpuinfo:desc="),
                           .unit = ClockUnit::ns,
                           .rounds = 1}};
  const std::string version = info_fact(info, "uftrace_version:");
  if (!version.empty()) run.info.agent += " " + version.substr(0, version.find(' '));
  Pipe pipe = make_pipe();
  std::optional<BackgroundProcess> dump;
  try {
    dump.emplace(Command{.argv = {"uftrace", "dump", "--no-pager", "--demangle=no", "--no-event", "-d",
                                  std::filesystem::absolute(folder).string()},
                         .cwd = std::filesystem::current_path(),
                         .environment = {{"LC_ALL", "C.UTF-8"}}},
                 LogPolicy{}, ChildStreams{.output = std::move(pipe.write)});
  } catch (const UserError& error) {
    throw environment_error(
        fmt::format("uftrace has to read its folder, and cannot be run: {}", error.what()),
        way_to_install("uftrace"));
  }
  CallTracer tracer;
  const bool is_whole = read_lines(pipe.read.get(), [&](std::string_view line) {
    if (const auto event = event_in(line)) take_event(*event, tracer);
  });
  if (!is_whole) refuse_folder(folder, "`uftrace dump` prints a line of more than 1 MiB");
  const std::optional<int> status = dump->ended(std::chrono::seconds{10});
  if (status != 0)
    refuse_folder(folder, fmt::format("`uftrace dump` fails: {}", trimmed(dump->tail(), "\n ")));
  run.warnings.push_back(
      {.text = "times of uftrace are those of a clock: calls that wait hold their waits, and all hold what "
               "tracing costs"});
  run = std::move(tracer).finish(std::move(run));
  if (run.events == 0) refuse_folder(folder, "the folder holds no calls");
  return run;
}

}  // namespace jcprof::annotator
