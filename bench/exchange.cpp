// SPDX-License-Identifier: Apache-2.0
// How many exchanges per second jcprof's measuring loop makes, against a bare loop of send() and recv(), or
// of SCardTransmit(), that sends the same APDUs on the same connection. The two take turns round by round
// within one run, so that what else the machine does meets both.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <winscard.h>
#include <CLI/CLI.hpp>

#include "bench/card.hpp"
#include "harness/card/apdu.hpp"
#include "harness/card/protocol.hpp"
#include "src/core/error.hpp"
#include "src/core/hex.hpp"
#include "src/engine/statistics.hpp"
#include "tests/support/private_pcscd.hpp"

namespace jcprof::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double bar = 0.95;
// Below this it is not the machine's noise any more.
constexpr double wide_miss = 0.85;

struct Options {
  cli::CommonOptions common;
  std::uint32_t rounds = 100;
  bool pcsc = false;
};

/// What the harness was given by SCardConnect, which it keeps to itself.
SCARDHANDLE& card_handle() {
  static SCARDHANDLE handle = 0;
  return handle;
}

/// One command as it is sent, and the status word that must come back.
struct Step {
  Bytes frame;
  std::uint32_t status = 0;
};

Bytes framed(const Bytes& apdu) {
  Bytes frame;
  frame.reserve(2 + apdu.size());
  frame.push_back(static_cast<std::uint8_t>(apdu.size() >> 8));
  frame.push_back(static_cast<std::uint8_t>(apdu.size()));
  frame.insert(frame.end(), apdu.begin(), apdu.end());
  return frame;
}

Bytes as_it_is(const Bytes& apdu) {
  return apdu;
}

/// What the harness sent for these samples: an arm command and the trigger for each.
std::vector<Step> steps_for(const Card& card, const Bytes& input, const std::vector<StoredSample>& samples,
                            Bytes (*made)(const Bytes&)) {
  check(card.project.trigger.apdus.size() == 1 && card.project.session.before_each.empty() &&
            card.project.session.after_each.empty() && card.project.session.reset == ResetMode::never,
        "the benchmark knows shots of two exchanges only");
  const harness::ApduText text{
      .text = card.project.trigger.apdus.front(), .where = "\"trigger\"", .le = card.project.trigger.le};
  const Bytes trigger = made(harness::make_apdu(text, {{"input", to_hex(input)}}));
  std::vector<Step> steps;
  steps.reserve(2 * samples.size());
  for (const StoredSample& sample : samples) {
    steps.push_back({made(harness::arm_command(card.map.card, sample.asked, 1)), 0x9000});
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

/// The rival over `pcsc:`: nothing but SCardTransmit.
Seconds bare_transmits(SCARDHANDLE card, const std::vector<Step>& steps) {
  Bytes in(MAX_BUFFER_SIZE_EXTENDED);
  const Clock::time_point start = Clock::now();
  for (const Step& step : steps) {
    DWORD size = in.size();
    check(SCardTransmit(card, SCARD_PCI_T1, step.frame.data(), step.frame.size(), nullptr, in.data(),
                        &size) == SCARD_S_SUCCESS &&
              size >= 2,
          "the card answers");
    check(in[size - 2] * 256U + in[size - 1] == step.status, "the card answers as it did before");
  }
  return Clock::now() - start;
}

/// The project's simulator in a reader of this daemon, with a virtual card that acknowledges at once.
void use_reader(Project& project, const test::PrivatePcscd& daemon) {
  project.transport = fmt::format("pcsc:{}", test::PrivatePcscd::names.front());
  check(project.start.has_value(), "the project names its simulator");
  for (std::string& argument : project.start->run) {
    if (argument.ends_with("port={port}"))
      argument = argument.substr(0, argument.size() - 6) + std::to_string(daemon.port(0));
    if (argument.find("jcardsim.jar:") != std::string::npos)
      argument = test::virtual_card_classpath() + argument.substr(argument.find(':'));
    if (argument == "com.licel.jcardsim.remote.VSmartCard") argument = "VirtualCard";
  }
  check(project.start->run.back() == "/dev/null", "jCardSim's own card takes a file");
  project.start->run.pop_back();
}

/// Seconds that both took for the exchanges of one round.
struct Pair {
  std::size_t exchanges = 0;
  Seconds measuring{0};
  Seconds bare{0};
};

bool is_bare_first(std::size_t pair) {
  return pair % 2 == 1;
}

/// One run of measure(), the bare loop in its breaks. A round of the measuring loop lasts from the return of
/// the progress report that opens it to the call of the next one, or until the profile is closed: all that
/// the harness does for it lies between (order, answers held against the good one, inserts, commit).
class Contest {
 public:
  explicit Contest(const Options& options) : card_(build_card(options.common)), pairs_(options.rounds) {
    if (options.pcsc) use_reader(card_.project, daemon_.emplace());
    simulator_ = start_simulator(card_);
    measure_.rounds = options.rounds;
    measure_.calibrations = 0;
  }

  std::vector<Pair> run() {
    // With one seed every run makes the same shots; this one also warms the simulator up.
    const Recording rehearsal = record(card_, *simulator_, measure_);
    const std::vector<StoredSample> samples = timed_samples(rehearsal);
    prepare(input_of(rehearsal), samples);
    measure_.progress = [this](const harness::Progress& progress) { look(progress); };
    const Recording recording = record(card_, *simulator_, measure_);
    close_round();
    check(same_shots(samples, timed_samples(recording)) && connection() == connection_,
          "both sent the same on the same connection");
    return pairs_;
  }

 private:
  static Bytes input_of(const Recording& recording) {
    const Store store(recording.file, OpenMode::read_only);
    const std::vector<StoredInput> inputs = store.inputs(recording.measured.run.id);
    check(inputs.size() == 1, "the benchmark knows one input only");
    return inputs.front().bytes;
  }

  static bool same_shots(const std::vector<StoredSample>& a, const std::vector<StoredSample>& b) {
    return std::ranges::equal(a, b, {}, &StoredSample::asked, &StoredSample::asked);
  }

  void prepare(const Bytes& input, const std::vector<StoredSample>& samples) {
    for (auto first = samples.begin(); first != samples.end();) {
      const auto last = std::find_if(
          first, samples.end(), [first](const StoredSample& sample) { return sample.round != first->round; });
      rounds_.push_back(steps_for(card_, input, {first, last}, daemon_ ? as_it_is : framed));
      first = last;
    }
    check(rounds_.size() == pairs_.size(), "all rounds have shots");
    connection_ = connection();
  }

  std::int64_t connection() const { return daemon_ ? card_handle() : card_socket(); }

  /// Reports come within a round, too: the first of a round opens it.
  void look(const harness::Progress& progress) {
    if (progress.phase != "rounds" || progress.round == round_) return;
    if (round_ > 0) close_round();
    round_ = progress.round;
    if (is_bare_first(round_ - 1)) run_bare();
    opened_ = Clock::now();
  }

  void close_round() {
    pairs_[round_ - 1].measuring = Clock::now() - opened_;
    if (!is_bare_first(round_ - 1)) run_bare();
  }

  void run_bare() {
    const std::vector<Step>& steps = rounds_[round_ - 1];
    pairs_[round_ - 1].exchanges = steps.size();
    pairs_[round_ - 1].bare =
        daemon_ ? bare_transmits(connection_, steps) : bare_loop(static_cast<int>(connection_), steps);
  }

  Card card_;
  std::optional<test::PrivatePcscd> daemon_;  // over `pcsc:`
  std::unique_ptr<harness::Transport> simulator_;
  harness::MeasureOptions measure_;
  std::vector<std::vector<Step>> rounds_;
  std::vector<Pair> pairs_;
  std::int64_t connection_ = -1;  // a socket, or a handle of pcsc-lite
  std::uint32_t round_ = 0;       // that is open, from 1
  Clock::time_point opened_;
};

ExitCode report(const std::vector<Pair>& pairs) {
  std::vector<double> ratios;
  std::vector<double> measuring;
  std::vector<double> bare;
  for (const Pair& pair : pairs) {
    ratios.push_back(pair.bare / pair.measuring);
    measuring.push_back(static_cast<double>(pair.exchanges) / pair.measuring.count());
    bare.push_back(static_cast<double>(pair.exchanges) / pair.bare.count());
  }
  const engine::Interval ratio = engine::sign_interval(ratios, 0.05);
  fmt::print("exchanges per second: medians of {} pairs of {} exchanges\n", pairs.size(),
             pairs.front().exchanges);
  fmt::print("jcprof's loop | {:6.0f}\nbare loop     | {:6.0f}\n", engine::median(measuring),
             engine::median(bare));
  fmt::print("ratio         | {:6.3f}   95 % interval {:.3f} to {:.3f}, pairs from {:.2f} to {:.2f}\n",
             ratio.value, ratio.low, ratio.high, std::ranges::min(ratios), std::ranges::max(ratios));
  fmt::print("bar           | {:6.2f}   {}\n", bar, ratio.value >= bar ? "met" : "MISSED");
  return ratio.value < wide_miss ? ExitCode::check_failed : ExitCode::done;
}

}  // namespace
}  // namespace jcprof::bench

// In front of the library's own: how the bare loop gets at the harness's connection.
LONG SCardConnect(SCARDCONTEXT context, LPCSTR reader, DWORD share, DWORD protocols, LPSCARDHANDLE card,
                  LPDWORD protocol) {
  const auto connect = reinterpret_cast<decltype(&SCardConnect)>(::dlsym(RTLD_NEXT, "SCardConnect"));
  const LONG state = connect(context, reader, share, protocols, card, protocol);
  if (state == SCARD_S_SUCCESS) jcprof::bench::card_handle() = *card;
  return state;
}

int main(int argc, char** argv) {
  CLI::App app{"Exchanges per second: jcprof's measuring loop against a bare one.", "bench-exchange"};
  jcprof::bench::Options options;
  app.add_option("PROJECT", options.common.project)->required();
  app.add_option("-o,--out", options.common.out);
  app.add_option("--rounds", options.rounds, "of each loop")
      ->check(CLI::Range(7U, 10'000U))
      ->capture_default_str();
  app.add_flag("--pcsc", options.pcsc, "through a PC/SC daemon of its own");
  CLI11_PARSE(app, argc, argv);
  return jcprof::cli::guarded([&] { return jcprof::bench::report(jcprof::bench::Contest(options).run()); });
}
