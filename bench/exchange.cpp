// SPDX-License-Identifier: Apache-2.0
// How many exchanges per second jcprof's measuring loop makes, against a bare loop of send() and recv() that
// sends the same APDUs on the same connection. The two take turns within one run, so that what else the
// machine does meets both.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "annotator/statistics.hpp"
#include "bench/card.hpp"
#include "harness/apdu.hpp"
#include "harness/card_protocol.hpp"
#include "src/core/error.hpp"
#include "src/core/hex.hpp"

namespace jcprof::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double bar = 0.95;
// Below this it is not the machine's noise any more.
constexpr double wide_miss = 0.85;

struct Options {
  cli::CommonOptions common;
  std::uint32_t pairs = 16;
  std::uint32_t rounds = 4;
};

/// One command as a frame of vpcd, and the status word that must come back.
struct Step {
  Bytes frame;
  std::uint32_t status = 0;
};

Bytes framed(const Bytes& apdu) {
  Bytes frame{static_cast<std::uint8_t>(apdu.size() >> 8), static_cast<std::uint8_t>(apdu.size())};
  frame.insert(frame.end(), apdu.begin(), apdu.end());
  return frame;
}

/// What the harness sent for these samples: an arm command and the trigger for each.
std::vector<Step> steps_for(const Card& card, const Bytes& input, const std::vector<StoredSample>& samples) {
  check(card.project.trigger.apdus.size() == 1 && card.project.session.before_each.empty() &&
            card.project.session.after_each.empty() && card.project.session.reset == ResetMode::never,
        "the benchmark knows shots of two exchanges only");
  const harness::ApduText text{
      .text = card.project.trigger.apdus.front(), .where = "\"trigger\"", .le = card.project.trigger.le};
  const Bytes trigger = framed(harness::make_apdu(text, {{"input", to_hex(input)}}));
  std::vector<Step> steps;
  steps.reserve(2 * samples.size());
  for (const StoredSample& sample : samples) {
    steps.push_back({framed(harness::arm_command(card.map.card, sample.asked, 1)), 0x9000});
    steps.push_back({trigger, sample.outcome == Outcome::stopped ? card.map.card.stop_status
                                                                 : sample.status.value_or(0)});
  }
  return steps;
}

bool is_connected_socket(int fd) {
  sockaddr_in peer{};
  socklen_t size = sizeof peer;
  return ::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0 && peer.sin_family == AF_INET;
}

/// The harness keeps its connection to itself. It is the one socket of this process that has a peer.
int card_socket() {
  std::vector<int> found;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd")) {
    const int fd = std::stoi(entry.path().filename().string());
    if (is_connected_socket(fd)) found.push_back(fd);
  }
  check(found.size() == 1, "one connection to the card");
  return found.front();
}

/// The rival: nothing but send and recv.
Seconds bare_loop(int socket, const std::vector<Step>& steps) {
  Bytes in(65537);
  const Clock::time_point start = Clock::now();
  for (const Step& step : steps) {
    check(::send(socket, step.frame.data(), step.frame.size(), MSG_NOSIGNAL) ==
              static_cast<ssize_t>(step.frame.size()),
          "a whole frame is sent");
    std::size_t have = 0;
    std::size_t whole = 2;
    while (have < whole) {
      const ssize_t got = ::recv(socket, in.data() + have, in.size() - have, 0);
      check(got > 0, "the card answers");
      have += static_cast<std::size_t>(got);
      if (have >= 2) whole = 2 + (in[0] * 256U + in[1]);
    }
    check(in[whole - 2] * 256U + in[whole - 1] == step.status, "the card answers as it did before");
  }
  return Clock::now() - start;
}

/// Seconds that both took for the same exchanges, one after the other.
struct Pair {
  Seconds measuring{0};
  Seconds bare{0};
  double ratio() const { return bare / measuring; }
};

class Contest {
 public:
  explicit Contest(const Options& options)
      : card_(build_card(options.common)), simulator_(start_simulator(card_)) {
    measure_.rounds = options.rounds;
    measure_.calibrations = 0;
    // With one seed every run makes the same shots; this one also warms the simulator up.
    const Recording first = record(card_, *simulator_, measure_);
    steps_ = steps_for(card_, input_of(first), timed_samples(first));
    socket_ = card_socket();
  }

  Pair run(bool bare_first) {
    Pair pair;
    if (bare_first) pair.bare = bare_loop(socket_, steps_);
    const Recording recording = record(card_, *simulator_, measure_);
    pair.measuring = recording.rounds;
    if (!bare_first) pair.bare = bare_loop(socket_, steps_);
    check(card_socket() == socket_ && 2 * timed_samples(recording).size() == steps_.size(),
          "both sent the same on the same connection");
    return pair;
  }

  std::size_t exchanges() const { return steps_.size(); }

 private:
  static Bytes input_of(const Recording& recording) {
    const std::vector<StoredInput> inputs =
        Store(recording.file, OpenMode::read_only).inputs(recording.measured.run.id);
    check(inputs.size() == 1, "the benchmark knows one input only");
    return inputs.front().bytes;
  }

  Card card_;
  std::unique_ptr<harness::Transport> simulator_;
  harness::MeasureOptions measure_;
  std::vector<Step> steps_;
  int socket_ = -1;
};

ExitCode report(const std::vector<Pair>& pairs, std::size_t exchanges) {
  std::vector<double> ratios;
  std::vector<double> measuring;
  std::vector<double> bare;
  for (const Pair& pair : pairs) {
    ratios.push_back(pair.ratio());
    measuring.push_back(static_cast<double>(exchanges) / pair.measuring.count());
    bare.push_back(static_cast<double>(exchanges) / pair.bare.count());
  }
  const double ratio = annotator::median(ratios);
  const annotator::Interval interval = annotator::sign_interval(ratios);
  fmt::print("exchanges per second   {} pairs of {} exchanges each\n", pairs.size(), exchanges);
  fmt::print("  jcprof's loop  {:8.0f}\n  bare loop      {:8.0f}\n", annotator::median(measuring),
             annotator::median(bare));
  fmt::print(
      "  ratio             {:.3f}   (95 % interval {:.3f} to {:.3f}; pairs from {:.3f} to {:.3f})   bar "
      "{:.2f}: {}\n",
      ratio, interval.low, interval.high, std::ranges::min(ratios), std::ranges::max(ratios), bar,
      ratio >= bar ? "met" : "MISSED");
  return ratio < wide_miss ? ExitCode::check_failed : ExitCode::done;
}

ExitCode contest(const Options& options) {
  Contest contest(options);
  std::vector<Pair> pairs;
  for (std::uint32_t i = 0; i < options.pairs; ++i) pairs.push_back(contest.run(i % 2 == 1));
  return report(pairs, contest.exchanges());
}

}  // namespace
}  // namespace jcprof::bench

int main(int argc, char** argv) {
  CLI::App app{"Exchanges per second: jcprof's measuring loop against a bare one.", "bench-exchange"};
  jcprof::bench::Options options;
  jcprof::cli::add_project_options(app, options.common);
  app.add_option("--pairs", options.pairs, "times that both are measured")
      ->check(CLI::Range(1U, 1000U))
      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "in each of them")
      ->check(CLI::Range(1U, 1000U))
      ->capture_default_str();
  return jcprof::cli::guarded_main(app, argc, argv, [&] { return jcprof::bench::contest(options); });
}
