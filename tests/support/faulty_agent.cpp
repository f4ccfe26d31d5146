// SPDX-License-Identifier: Apache-2.0
// An agent with known answers that does one thing wrong, where and as often as it is told. What it does right
// tells events apart: a stop at the n-th event takes 370 thousand, n million ticks and a few, the end fifty
// million. Whole millions from the start of each command would be a grid.
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>
#include <nlohmann/json.hpp>

namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr std::int64_t ticks_ahead = 370'000;
constexpr std::int64_t ticks_an_event = 1'000'000;
constexpr std::int64_t events_at_the_end = 50;
constexpr int a_while_ms = 60'000;

void put(std::string_view text) {
  std::cout << text << std::flush;
}
void put_line(const json& line) {
  put(line.dump() + "\n");
}

[[noreturn]] void hang() {
  std::this_thread::sleep_for(milliseconds{a_while_ms});
  ::_exit(0);
}

/// By the signal itself: a sanitizer would make an exit status of it.
[[noreturn]] void crash() {
  ::signal(SIGSEGV, SIG_DFL);
  ::raise(SIGSEGV);
  ::_exit(0);
}

/// What survives the process: how often it was started and how many faults are left.
struct Memory {
  std::string file;
  int starts = 0;
  int faults_left = 0;

  Memory(const json& options) : file(options.value("memory", "")), faults_left(options.value("times", 1)) {
    std::ifstream(file) >> starts >> faults_left;
    ++starts;
    save();
  }
  void save() const {
    if (!file.empty()) std::ofstream(file) << starts << ' ' << faults_left;
  }
};

class FaultyAgent {
 public:
  explicit FaultyAgent(const json& options)
      : options_(options),
        fault_(options.value("fault", "")),
        memory_(options),
        path_(options.value("path", std::vector<std::uint32_t>{1, 2, 3, 2, 3, 4})) {}

  void serve(const std::string& line) {
    request_ = json::parse(line);
    const std::string verb = request_["do"];
    const bool is_due = options_.value("start", 1) <= memory_.starts && takes_fault(verb + "_");
    if (is_due && fault_ == verb + "_dies") ::_exit(7);
    if (is_due && fault_ == verb + "_hangs") hang();
    if (is_due && fault_ == verb + "_garbage") return put("Segmentation fault (core dumped)\n");
    if (is_due && fault_ == verb + "_error")
      return answer("error", {{"message", "no"}, {"hint", "try again"}});
    if (verb == "hello") return answer("ok", hello(is_due));
    if (verb == "measure") return measure();
    if (verb == "trace") return answer("ok", trace(is_due));
    if (verb == "calibrate" && request_["kind"] == options_.value("refuses", ""))
      return answer("error", {{"message", "there is none"}});
    if (verb == "calibrate") return answer("ok", {{"ticks", is_due ? json("many") : json(calibration())}});
    if (verb == "path") {
      std::cerr << "path of " << request_["input"] << ": " << request_["events"] << '\n';
      return answer("ok", json::object());
    }
    if (verb == "reset" || verb == "bye") {
      std::cerr << verb << '\n';
      answer("ok", json::object());
      return verb == "bye" ? ::_exit(0) : void();
    }
    answer("error", {{"message", "unknown verb"}});
  }

 private:
  /// A stop takes `stop` ticks more than a return.
  std::int64_t calibration() const {
    const auto passes = request_["passes"].get<std::int64_t>();
    const std::int64_t stops = request_["kind"] == "stop" ? passes * options_.value("stop", 0) : 0;
    return 1000 + 30'000 * passes + stops;
  }

  /// Whether a fault whose name begins so happens now; it is used up then.
  bool takes_fault(std::string_view beginning) {
    if (!fault_.starts_with(beginning) || memory_.faults_left == 0) return false;
    --memory_.faults_left;
    memory_.save();
    return true;
  }

  void answer(const char* key, const json& value) { put_line({{"id", request_["id"]}, {key, value}}); }

  json hello(bool is_due) const {
    const json clock{
        {"name", "none"}, {"unit", options_.value("unit", "ns")}, {"resolution", 1}, {"exact", false}};
    json answer{{"protocol", is_due && fault_ == "hello_version" ? 2 : 1},
                {"agent", "faulty/1"},
                {"device", "nothing"},
                {"simulated", true},
                {"clock", clock},
                {"max_batch", options_.value("max_batch", 16)},
                {"can", options_.value("can", json{"trace", "calibrate", "reset"})}};
    if (options_.contains("card")) answer["card"] = options_["card"];
    if (options_.contains("card") && is_due && fault_ == "hello_other_card") answer["card"]["atr"] = "3bff";
    return answer;
  }

  json trace(bool is_due) {
    std::this_thread::sleep_for(milliseconds(options_.value("trace_ms", 0)));
    if (is_due && fault_ == "trace_unknown") return {{"events", {1, 999}}, {"more", false}, {"signature", 0}};
    if (is_due && fault_ == "trace_endless")
      return {{"events", json::array()}, {"more", true}, {"signature", 0}};
    const std::size_t from = std::min(request_["from"].get<std::size_t>(), path_.size());
    const std::size_t size = std::min({request_["count"].get<std::size_t>(),
                                       options_.value("window", std::size_t{1000}), path_.size() - from});
    std::uint32_t digest = 7;  // of an algorithm of its own
    for (std::size_t i = 0; i < from; ++i) digest = digest * 31 + path_[i];
    const auto first = path_.begin() + static_cast<std::ptrdiff_t>(from);
    return {{"events", std::vector(first, first + static_cast<std::ptrdiff_t>(size))},
            {"more", from + size < path_.size()},
            {"signature", digest}};
  }

  /// A stop from the event `half_done` on leaves the command half done, so that the next one, or as many as
  /// `half_done_for`, does half as much.
  json sample(const json& shot) {
    constexpr std::int64_t multiplier = 2'654'435'761;  // Knuth's
    json result = whole_sample(shot);
    const auto noise = options_.value("noise", std::int64_t{0});
    if (noise > 0) result["ticks"] = result["ticks"].get<std::int64_t>() + (shots_ * multiplier >> 8) % noise;
    if (half_done_ > 0) result["ticks"] = result["ticks"].get<std::int64_t>() / 2;
    if (result["outcome"] == "stopped")
      result["ticks"] = result["ticks"].get<std::int64_t>() + options_.value("stop", 0);
    const auto half_done = options_.value("half_done", std::int64_t{0});
    half_done_ = std::max(half_done_ - 1, 0);
    if (half_done > 0 && result["outcome"] == "stopped" && result["trap"] >= half_done)
      half_done_ = options_.value("half_done_for", 1);
    return result;
  }

  json whole_sample(const json& shot) {
    std::int64_t hit = 0;
    const std::int64_t jitter = ++shots_ % 97;
    for (std::size_t i = 0; i < path_.size(); ++i) {
      hit += path_[i] == shot["trap"] ? 1 : 0;
      if (path_[i] == shot["trap"] && hit == shot["hit"])
        return {{"outcome", "stopped"},
                {"trap", path_[i]},
                {"hit", hit},
                {"ticks", ticks_ahead + static_cast<std::int64_t>(i + 1) * ticks_an_event + jitter}};
    }
    return {{"outcome", "ended"},
            {"ticks", ticks_ahead + events_at_the_end * ticks_an_event + jitter},
            {"status", options_.value("status", 0x9000U)},
            {"reply", "0a"}};
  }

  void measure() {
    std::size_t n = options_.value("first_n", 0U);
    for (const json& shot : request_["shots"]) {
      json line{{"id", request_["id"]}, {"n", n++}, {"sample", sample(shot)}};
      constexpr int soon = 5;
      const bool is_for_second_hello = fault_.starts_with("hello_") && options_.value("start", 1) == 2;
      if (is_for_second_hello && memory_.starts == 1 && shots_ == soon) ::_exit(9);
      const bool is_here =
          options_.contains("trap") ? options_["trap"] == shot["trap"] : shots_ == options_.value("shot", 1);
      if (is_here && takes_fault("shot_")) {
        if (!spoil(line)) return;
      } else {
        put_line(line);
      }
    }
    if (shots_ < options_.value("shot", 1) || !takes_fault("end_")) return answer("ok", json::object());
    if (fault_ == "end_dies") ::_exit(3);
    if (fault_ == "end_hangs") hang();
    put_line({{"id", request_["id"]}, {"n", n}, {"sample", sample(request_["shots"].back())}});
    answer("ok", json::object());
  }

  /// False where the batch ends here.
  bool spoil(json line) {
    json& sample = line["sample"];
    if (fault_ == "shot_crashes") crash();
    if (fault_ == "shot_exits") ::_exit(0);
    if (fault_ == "shot_hangs") hang();
    if (fault_ == "shot_closes_output") {
      ::close(STDOUT_FILENO);
      hang();
    }
    if (fault_ == "shot_late") std::this_thread::sleep_for(milliseconds(options_.value("late_ms", 150)));
    if (fault_ == "shot_is_cut_off") {
      put(line.dump().substr(0, 20));
      ::_exit(1);
    }
    if (fault_ == "shot_truncated") return put(line.dump().substr(0, 20) + "\n"), true;
    if (fault_ == "shot_garbage") return put("\x1b[31mpanic\xff\n"), true;
    if (fault_ == "shot_blank") return put("\n"), true;
    if (fault_ == "shot_zeros") return put(std::string(100, '\0') + "\n"), true;
    if (fault_ == "shot_list") return put("[1,2]\n"), true;
    if (fault_ == "shot_deep") return put(std::string(200'000, '[') + "\n"), true;
    if (fault_ == "shot_huge_line") return put(std::string(std::size_t{17} << 20U, 'x')), true;
    if (fault_ == "shot_swallowed") return true;
    if (fault_ == "shot_early_ok") return answer("ok", json::object()), false;
    if (fault_ == "shot_error") return answer("error", {{"message", "the target is gone"}}), false;
    if (fault_ == "shot_floods_log") std::cerr << std::string(std::size_t{3} << 20U, '!') << '\n';
    if (fault_ == "shot_twice") put_line(line);
    if (fault_ == "shot_wrong_id") line["id"] = 424242;
    if (fault_ == "shot_text_id") line["id"] = "1";
    if (fault_ == "shot_no_id") line.erase("id");
    if (fault_ == "shot_wrong_n") line["n"] = line["n"].get<int>() + 1;
    if (fault_ == "shot_text_ticks") sample["ticks"] = "12";
    if (fault_ == "shot_fractional_ticks") sample["ticks"] = 0.5;
    if (fault_ == "shot_negative_ticks") sample["ticks"] = -5;
    if (fault_ == "shot_huge_ticks") sample["ticks"] = 1e300;
    if (fault_ == "shot_no_ticks") sample.erase("ticks");
    if (fault_ == "shot_elsewhere")
      sample = {{"outcome", "stopped"}, {"trap", 1}, {"hit", 9}, {"ticks", 77 * ticks_an_event}};
    if (fault_ == "shot_says") sample = options_["says"];
    if (fault_ == "shot_nowhere") sample = {{"outcome", "stopped"}, {"ticks", 77 * ticks_an_event}};
    if (fault_ == "shot_unknown_outcome") sample["outcome"] = "exploded";
    if (fault_ == "shot_sample_list") sample = json::array({1});
    if (fault_ == "shot_odd_reply") sample["reply"] = "0";
    if (fault_ == "shot_big_status") sample["status"] = 1e12;
    std::cerr << options_.value("log", "");
    if (fault_ == "shot_lost")
      sample = {{"outcome", "lost"}, {"why", options_.value("why", "it caught fire")}};
    if (fault_ == "shot_timed_out") sample = {{"outcome", "timed_out"}};
    if (fault_ == "shot_refused") sample = {{"outcome", "refused"}, {"why", "not today"}};
    std::string text = line.dump();
    if (fault_ == "shot_nan_ticks") text.replace(text.find("\"ticks\":") + 8, 1, "NaN");
    put(text + "\n");
    return true;
  }

  json options_;
  std::string fault_;
  Memory memory_;
  std::vector<std::uint32_t> path_;
  json request_;
  std::int64_t shots_ = 0;
  int half_done_ = 0;  // of the commands to come
};

}  // namespace

int main(int argc, char** argv) {
  FaultyAgent agent(argc > 1 ? json::parse(argv[1]) : json::object());
  for (std::string line; std::getline(std::cin, line);) agent.serve(line);
  return 0;
}
