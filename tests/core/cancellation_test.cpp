// SPDX-License-Identifier: Apache-2.0
#include "src/core/cancellation.hpp"

#include <csignal>
#include <functional>
#include <thread>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "src/core/unique_fd.hpp"

namespace jcprof {
namespace {

using namespace std::chrono_literals;
using Clock = Cancellation::Clock;

bool is_readable(const Cancellation& cancellation) {
  pollfd asked{.fd = cancellation.fd(), .events = POLLIN, .revents = 0};
  return ::poll(&asked, 1, 0) > 0;
}

/// A process that catches signals, says so, does `work`, and ends with 7 unless something else ended it.
class Catcher {
 public:
  explicit Catcher(const std::function<void()>& work) : ready_(make_pipe()) {
    pid_ = ::fork();
    if (pid_ != 0) return;
    catch_signals();
    int code = 7;
    try {
      ready_ = {};
      work();
    } catch (const Cancelled& cancelled) {
      code = static_cast<int>(exit_code_of(cancelled.signal()));
    }
    ::_exit(code);
  }
  ~Catcher() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Catcher(const Catcher&) = delete;
  Catcher& operator=(const Catcher&) = delete;

  void send(int signal) {
    // Its end of the pipe is closed once it catches signals.
    ready_.write = UniqueFd();
    pollfd closed{.fd = ready_.read.get(), .events = POLLIN, .revents = 0};
    REQUIRE(::poll(&closed, 1, 10'000) == 1);
    ::kill(pid_, signal);
  }
  int code() const {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  Pipe ready_;
  pid_t pid_ = -1;
};

void sleep_on() {
  for (;;) std::this_thread::sleep_for(10s);
}

TEST_CASE("nothing is asked until a signal asks, and the first one counts") {
  Cancellation cancellation;
  CHECK_FALSE(cancellation.is_asked());
  CHECK_FALSE(is_readable(cancellation));
  CHECK_NOTHROW(cancellation.check());
  cancellation.ask(SIGTERM);
  cancellation.ask(SIGINT);
  CHECK(cancellation.signal() == SIGTERM);
  CHECK(is_readable(cancellation));
  CHECK(is_readable(cancellation));  // for all who wait
  CHECK_THROWS_AS(cancellation.check(), Cancelled);
  cancellation.end_by(Clock::time_point::max());
  CHECK(is_readable(cancellation));
  cancellation.forget();
  CHECK_FALSE(cancellation.is_asked());
  CHECK_FALSE(is_readable(cancellation));
}

TEST_CASE("a time that is over asks like a signal, but is none") {
  Cancellation cancellation;
  cancellation.end_by(Clock::now() + 1h);
  CHECK_FALSE(cancellation.is_asked());
  CHECK_FALSE(is_readable(cancellation));
  cancellation.end_by(Clock::now());
  CHECK(cancellation.is_asked());
  CHECK(cancellation.signal() == 0);
  CHECK(is_readable(cancellation));
  cancellation.end_by(Clock::time_point::max());
  CHECK_FALSE(cancellation.is_asked());
  CHECK_FALSE(is_readable(cancellation));
}

TEST_CASE("a sleep ends when somebody asks, and at its time where nobody does") {
  Cancellation cancellation;
  cancellation.sleep_for(1ms);
  std::thread other([&] { cancellation.ask(SIGINT); });
  CHECK_THROWS_AS(cancellation.sleep_for(1h), Cancelled);
  other.join();
  cancellation.forget();
  cancellation.end_by(Clock::now() + 1ms);
  CHECK_THROWS_AS(cancellation.sleep_for(1h), Cancelled);
}

TEST_CASE("grace times are as wished until a signal asks; then all of them together have an end") {
  Cancellation cancellation;
  CHECK(cancellation.grace(5s) == 5s);
  cancellation.end_by(Clock::now());
  CHECK(cancellation.grace(5s) == 5s);
  cancellation.ask(SIGINT);
  CHECK(cancellation.grace(1ms) == 1ms);
  CHECK(cancellation.grace(5s) < 1s);
}

TEST_CASE("each signal ends a wait with 128 and its number") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Catcher catcher([] { cancellation().sleep_for(1h); });
    catcher.send(signal);
    CHECK(catcher.code() == 128 + signal);
  }
}

TEST_CASE("a second Ctrl-C ends at once, and what does not listen is ended in under two seconds") {
  const auto begun = Clock::now();
  Catcher deaf([] { sleep_on(); });
  deaf.send(SIGTERM);
  Catcher twice([] { sleep_on(); });
  twice.send(SIGINT);
  std::this_thread::sleep_for(300ms);  // longer than one key press counts as one
  twice.send(SIGINT);
  CHECK(twice.code() == 128 + SIGINT);
  CHECK(Clock::now() - begun < 1s);
  CHECK(deaf.code() == 128 + SIGTERM);
  CHECK(Clock::now() - begun < 2s);
}

}  // namespace
}  // namespace jcprof
