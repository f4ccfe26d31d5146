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

// The arguments are: the power's fate, and the tags of a reservation. By a reservation labgrid lets those who
// wait come in turn. Signals are for us; the end of our life comes as the end of its input. A coordinator
// that starts anew knows no reservation, nor does one that was told to forget ours: it is made again, for a
// while.
constexpr const char* holder_script = R"script(
trap '' INT TERM HUP PIPE
trap over=1 USR1
exec 3<&0 </dev/null
unset LG_PLACE LG_TOKEN
token= place= owner= over= again=
newline='
'
cause() { printf '%s\n' "$1" | sed -n '$p'; }
value() { printf '%s\n' "$said" | sed -n "s/^ *$1: //p" | head -n 1; }
give_back() {
  [ -z "$token" ] || labgrid-client cancel-reservation "$token" >/dev/null
  tries=1800
  until [ -z "$place" ] || said=$(labgrid-client -p "$place" release-from "$owner" 2>&1); do
    case $said in *' is not acquired') break ;; esac
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
take() {
  said=$(labgrid-client reserve "$@" 2>&1) || return
  token=$(value token) owner=$(value owner)
  [ -n "$token" ] && [ -n "$owner" ] || return
  again=${again:-30}
  labgrid-client wait "$token" >/dev/null &
  waiter=$!
  while [ -z "$over" ] && kill -0 $waiter; do sleep 1; done
  [ -z "$over" ] || { kill $waiter; give_back; }
  said=$(labgrid-client -p "+$token" acquire 2>&1) || return
  place=${said##*acquired place }
  place=${place%%"$newline"*}
}
power=$1
shift
{
  while read -r line; do :; done
  parent=$$
  read -r pid name state parent rest </proc/self/stat
  [ "$parent" != $$ ] || kill -USR1 $$
} <&3 >/dev/null &
other_end=$!
exec 3<&-
until take "$@"; do
  case $said in *' matches nothing' | *'connect to coordinator'*) ;; *) fail "$said" ;; esac
  [ "${again:=0}" -gt 0 ] || fail "$said"
  again=$((again - 1)) token=
  sleep 2
  [ -z "$over" ] || give_back
done
labgrid-client cancel-reservation "$token" >/dev/null
token=
[ -n "$over" ] || [ -z "$power" ] || said=$(labgrid-client -p "$place" power "$power" 2>&1) || fail "$said"
echo "holds $place"
wait $other_end
give_back
)script";

// A client of labgrid takes half a second for each of its jobs, and longer on a busy machine.
constexpr seconds silence_before_telling{15};
constexpr seconds patience_for_release{20};
// The end of jcprof comes soon then (src/core/cancellation.cpp).
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
  ::execv("/usr/bin/env", argv);
  ::_exit(127);
}

/// The places that we want, and their holders.
std::string holders_of(const std::vector<LabPlace>& places) {
  std::vector<std::string> texts;
  std::ranges::transform(places, std::back_inserter(texts), [](const LabPlace& place) {
    return fmt::format("\"{}\", which {} holds", place.name, place.holder);
  });
  return fmt::format("{}", fmt::join(texts, ", or "));
}

/// The place that others hold for us is the one that the address names, perhaps by an alias.
void refuse_another(const LabAddress& address, const std::string& of_others) {
  if (address.place.empty() || address.place == of_others) return;
  if (places_at(address, places_of_lab(), lab_user()).front().name == of_others) return;
  throw UserError(Fault{.message = fmt::format("{} is \"{}\", and the transport names place \"{}\"",
                                               held_place_variable, of_others, address.place),
                        .hint = "unset it, or name the same place in both"});
}

}  // namespace

HeldPlace::HeldPlace(const LabAddress& address, const std::string& earlier_reader, const Tell& tell) {
  std::vector<LabPlace> places = places_at(address, places_of_lab(), lab_user());
  // A run is resumed where it began.
  const auto earlier = std::ranges::find_if(places, [&](const LabPlace& place) {
    return place.holder.empty() && place.name == place_in(earlier_reader);
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
  std::vector<std::string> words{"env"};
  for (const auto& [variable, value] : client_environment())
    words.push_back(fmt::format("{}={}", variable, value));
  words.insert(words.end(), {"sh", "-c", holder_script, "jcprof-labgrid", address.power});
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
  std::string why;
  bool is_released = false;
  while (Clock::now() < deadline) {
    const auto said = line(std::chrono::ceil<milliseconds>(deadline - Clock::now()), -1);
    is_released = is_released || said == "released";
    if (said && said->starts_with("kept ")) why = cause_in(said->substr(5));
    if (!said) break;
  }
  ::waitpid(holder_, nullptr, WNOHANG);
  if (is_released) return;
  const bool goes_on = output_.get() >= 0;
  if (!goes_on)
    fmt::print(stderr,
               "warning: place \"{}\" stays yours, because the process that held it was ended{}; "
               "`labgrid-client -p {} release` gives it back\n",
               name_, why.empty() ? "" : ": " + why, name_);
  else if (!is_in_haste)
    fmt::print(stderr,
               "warning: place \"{}\" is not released yet{}. A process goes on trying for an hour or "
               "more; `labgrid-client -p {} release` does it by hand\n",
               name_, why.empty() ? "" : ": " + why, name_);
}

std::string place_in(const std::string& reader) {
  return reader.substr(0, reader.find(": "));
}

std::string place_of_others() {
  const char* const place = std::getenv(held_place_variable);
  return place == nullptr ? "" : place;
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
  const std::string of_others = place_of_others();
  if (!of_others.empty()) {
    refuse_another(address, of_others);
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
