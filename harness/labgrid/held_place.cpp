// SPDX-License-Identifier: Apache-2.0
#include "harness/labgrid/held_place.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/labgrid/places.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/error.hpp"

namespace jcprof::harness {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

// The arguments are what becomes of the power, then the tags of a reservation. By a reservation labgrid lets
// those who wait come in turn. Signals are for us; the end of our life comes as the end of its input.
constexpr const char* holder_script = R"script(
trap '' INT TERM HUP PIPE
trap over=1 USR1
exec 3<&0 </dev/null
unset LG_ENV LG_PLACE LG_STATE LG_INITIAL_STATE LG_TOKEN
token= place= over=
cause() { printf '%s\n' "$1" | sed -n '$p'; }
give_back() {
  [ -z "$token" ] || labgrid-client cancel-reservation "$token"
  tries=1800
  until [ -z "$place" ] || said=$(labgrid-client -p "$place" release 2>&1); do
    case $said in *' is not acquired' | *' different user '* | *' matches nothing') break ;; esac
    echo "kept $(cause "$said")"
    [ $((tries -= 1)) -gt 0 ] || exit 1
    sleep 2
  done
  echo released
  exit
}
fail() {
  echo "failed $(cause "$1")"
  give_back
}
power=$1
shift
{
  while read -r line; do :; done
  kill -USR1 $$
} <&3 &
other_end=$!
exec 3<&-
said=$(labgrid-client reserve --shell "$@" 2>&1) || fail "$said"
token=${said##*LG_TOKEN=}
export LG_TOKEN="$token"
labgrid-client wait "$token" >/dev/null &
waiter=$!
while [ -z "$over" ] && kill -0 $waiter; do sleep 1; done
[ -z "$over" ] || { kill $waiter; give_back; }
said=$(labgrid-client -p + acquire 2>&1) || fail "$said"
place=${said##*acquired place }
labgrid-client cancel-reservation "$token"
token=
unset LG_TOKEN
[ -n "$over" ] || [ -z "$power" ] || said=$(labgrid-client -p "$place" power "$power" 2>&1) || fail "$said"
echo "holds $place"
wait $other_end
give_back
)script";

// A client of labgrid takes half a second for each of its jobs, and longer on a busy machine.
constexpr seconds silence_before_telling{15};
constexpr seconds patience_for_release{20};
// Of the end of jcprof, which comes soon (src/core/cancellation.cpp).
constexpr std::chrono::nanoseconds patience_after_signal = milliseconds{1200};

struct StreamsOfHolder {
  int input;
  int output;
};

/// Between fork and exec: only async-signal-safe calls.
[[noreturn]] void become_holder(char* const* argv, StreamsOfHolder streams) {
  // A terminal's signals are not for it, and whoever ends our group leaves it alone.
  ::setsid();
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
  ::dup2(streams.input, STDIN_FILENO);
  ::dup2(streams.output, STDOUT_FILENO);
  if (const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0)
    ::dup2(nowhere, STDERR_FILENO);
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  ::execv("/bin/sh", argv);
  ::_exit(127);
}

/// Who has the places that we want.
std::string holders_of(const std::vector<LabPlace>& places) {
  std::vector<std::string> texts;
  std::ranges::transform(places, std::back_inserter(texts), [](const LabPlace& place) {
    return fmt::format("\"{}\", which {} holds", place.name, place.holder);
  });
  return fmt::format("{}", fmt::join(texts, ", or "));
}

}  // namespace

HeldPlace::HeldPlace(const LabAddress& address, const std::string& earlier_reader, const Tell& tell) {
  std::vector<LabPlace> places = places_at(address, places_of_lab());
  // A run is resumed where it began.
  const auto earlier = std::ranges::find_if(places, [&](const LabPlace& place) {
    return place.holder.empty() && place.name == earlier_reader.substr(0, earlier_reader.find(": "));
  });
  const bool is_named = !address.place.empty() || earlier != places.end();
  if (earlier != places.end()) places = {*earlier};
  if (std::ranges::none_of(places, [](const LabPlace& place) { return place.holder.empty(); }))
    tell(fmt::format("waiting for place {}", holders_of(places)));
  start(address, is_named ? "name=" + places.front().name : "");
  wait_until_held(is_named ? fmt::format("place \"{}\"", places.front().name)
                           : fmt::format("a place with \"{}\"", fmt::join(address.tags, ", ")),
                  tell);
}

void HeldPlace::start(const LabAddress& address, const std::string& filter) {
  std::vector<std::string> words{"sh", "-c", holder_script, "jcprof-labgrid", address.power};
  if (filter.empty())
    words.insert(words.end(), address.tags.begin(), address.tags.end());
  else
    words.push_back(filter);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  holder_ = ::fork();
  if (holder_ == 0) become_holder(argv.data(), {.input = in.read.get(), .output = out.write.get()});
  if (holder_ < 0) throw environment_error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  input_ = std::move(in.write);
  output_ = std::move(out.read);
}

void HeldPlace::wait_until_held(const std::string& wanted, const Tell& tell) {
  bool was_told = false;
  while (true) {
    const std::optional<std::string> said = line(silence_before_telling, cancellation().fd());
    cancellation().check();
    if (!said && output_.get() < 0)
      throw environment_error(fmt::format("the process that was to hold {} was ended", wanted));
    if (!said && !std::exchange(was_told, true)) tell(fmt::format("waiting for {}", wanted));
    if (!said) continue;
    if (said->starts_with("failed ")) {
      while (line(patience_for_release, cancellation().fd())) {
      }  // until it is released
      throw lab_error(fmt::format("cannot have {}", wanted), said->substr(7));
    }
    if (!said->starts_with("holds ")) continue;
    name_ = said->substr(6);
    return;
  }
}

std::optional<std::string> HeldPlace::line(milliseconds patience, int asked) {
  const Clock::time_point deadline = Clock::now() + patience;
  while (true) {
    if (const std::size_t end = said_.find('\n'); end != std::string::npos) {
      std::string text = said_.substr(0, end);
      said_.erase(0, end + 1);
      return text;
    }
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
    if (left <= 0 || output_.get() < 0) return std::nullopt;
    std::array<pollfd, 2> ends{{{output_.get(), POLLIN, 0}, {asked, POLLIN, 0}}};
    ::poll(ends.data(), ends.size(), static_cast<int>(left));
    if (ends[1].revents != 0) return std::nullopt;
    if (ends[0].revents == 0) continue;
    std::array<char, 4096> chunk{};
    const ssize_t size = ::read(output_.get(), chunk.data(), chunk.size());
    if (size > 0) said_.append(chunk.data(), static_cast<std::size_t>(size));
    if (size == 0 || (size < 0 && errno != EINTR)) output_ = UniqueFd();
  }
}

HeldPlace::~HeldPlace() {
  input_ = UniqueFd();
  // The holder does it alone if it must.
  const bool is_in_haste = cancellation().signal() != 0;
  const Clock::time_point deadline =
      Clock::now() +
      (is_in_haste ? patience_after_signal - cancellation().asked_for() : patience_for_release);
  std::string why = "the holder of it was ended";
  while (Clock::now() < deadline) {
    const auto said = line(std::chrono::ceil<milliseconds>(deadline - Clock::now()), -1);
    if (said == "released") why.clear();
    if (said && said->starts_with("kept ")) why = cause_in(said->substr(5));
    if (!said) break;
  }
  ::waitpid(holder_, nullptr, WNOHANG);
  if (why.empty() || cancellation().signal() != 0 || name_.empty()) return;
  fmt::print(stderr,
             "warning: place \"{}\" is not released yet: {}. A process goes on trying for an hour; "
             "`labgrid-client -p {} release` does it by hand\n",
             name_, why, name_);
}

const std::string& place_of_process(const LabAddress& address, const std::string& earlier_reader) {
  static std::string name;
  static std::unique_ptr<HeldPlace> held;
  static LabAddress asked;
  if (!name.empty() && std::tie(asked.place, asked.tags) != std::tie(address.place, address.tags))
    throw UserError(Fault{.message = "the builds of one call name two places of labgrid",
                          .hint = "name the same one in both, or by --transport"});
  if (!name.empty()) return name;
  asked = address;
  if (const char* const of_others = std::getenv(held_place_variable)) {
    name = of_others;
  } else {
    cancellation();  // which our end asks
    held = std::make_unique<HeldPlace>(address, earlier_reader,
                                       [](const std::string& text) { fmt::print(stderr, "{}\n", text); });
    name = held->name();
  }
  ::setenv("LG_PLACE", name.c_str(), 1);
  return name;
}

}  // namespace jcprof::harness
