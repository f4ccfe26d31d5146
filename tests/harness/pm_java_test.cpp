// SPDX-License-Identifier: Apache-2.0
// templates/PM.java in a small applet, instrumented by hand, on the real jCardSim.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "harness/card/apdu.hpp"
#include "harness/card/protocol.hpp"
#include "harness/card/session.hpp"
#include "harness/card/vpcd.hpp"
#include "harness/measure.hpp"
#include "harness/path.hpp"
#include "harness/transports.hpp"
#include "src/core/file.hpp"
#include "src/core/hex.hpp"
#include "src/core/path_signature.hpp"
#include "src/core/process.hpp"

using namespace jcprof;
using namespace jcprof::harness;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

constexpr CardArming arming{.cla = 0x80, .ins = 0xF4, .stop_status = 0x6FB5};
constexpr std::uint32_t build = 0xCAFE0001;

constexpr std::string_view pmc = R"(
class PMC {
    static final byte CLA = (byte) 0x80, INS = (byte) 0xF4;
    static final short STOP = (short) 0x6FB5, BUILD_HIGH = (short) 0xCAFE, BUILD_LOW = (short) 0x0001;
    static final short CALIBRATION = (short) 0x7FFF;
    static final short TRAP_entry0 = 1, TRAP_pass = 2, TRAP_done = 3, TRAP_inner = 4, TRAP_open = 5, TRAP_high = (short) 0xFFF0;
}
)";

constexpr std::string_view applet = R"(
import javacard.framework.*;
public class DemoApplet extends Applet {
    private short mark;
    public static void install(byte[] b, short offset, byte length) { new DemoApplet().register(); }
    public void process(APDU apdu) {
        if (PM.serve(apdu)) return;
        PM.check(PMC.TRAP_entry0);
        if (selectingApplet()) return;
        byte[] buffer = apdu.getBuffer();
        switch (buffer[ISO7816.OFFSET_INS]) {
            case (byte) 0x10: loop(buffer[2], buffer[3]); break;
            case (byte) 0x20: swallow(); break;
            case (byte) 0x30: transaction(); break;
            case (byte) 0x40:
                buffer[0] = (byte) mark;
                mark = (short) 0;
                apdu.setOutgoingAndSend((short) 0, (short) 1);
                break;
            case (byte) 0x50:
                buffer[0] = (byte) (one((short) 4) + (yes() ? 1 : 0) + two());
                apdu.setOutgoingAndSend((short) 0, (short) 1);
                break;
            default: ISOException.throwIt(ISO7816.SW_INS_NOT_SUPPORTED);
        }
    }
    private void loop(byte thousands, byte ones) {
        for (short t = 0; t < thousands; t++)
            for (short i = 0; i < 1000; i++) PM.check(PMC.TRAP_pass);
        for (short i = 0; i < ones; i++) PM.check(PMC.TRAP_pass);
        PM.check(PMC.TRAP_done);
    }
    private void swallow() {
        for (short i = 0; i < 3; i++) {
            try {
                try {
                    PM.check(PMC.TRAP_inner);
                } catch (Throwable t) {
                    PM.guard();
                    mark = (short) 1;
                } finally {
                    PM.guard();
                    mark += (short) 2;
                    continue;
                }
            } catch (RuntimeException e) {
                PM.guard();
                mark = (short) 64;
            }
        }
    }
    private void transaction() {
        JCSystem.beginTransaction();
        mark = (short) 7;
        PM.check(PMC.TRAP_open);
        JCSystem.commitTransaction();
    }
    private short one(short x) { return PM.value((short) (x + 1), PMC.TRAP_high); }
    private boolean yes() { return PM.value(true, PMC.TRAP_high); }
    private byte two() { return PM.value((byte) 2, PMC.TRAP_high); }
    private Object self() { return PM.value(this, PMC.TRAP_high); }
}
)";

/// The applet compiled in a folder of its own, in a package or in none.
class Compiled {
 public:
  explicit Compiled(const std::string& package)
      : folder_(fs::temp_directory_path() / fmt::format("jcprof-pm-{}-{}", package, ::getpid())) {
    const std::string line = package.empty() ? "" : "package " + package + ";";
    std::string pm = read_file(fs::path(JCPROF_SOURCE_DIR) / "templates/PM.java");
    const std::string placeholder = "/*package*/";
    REQUIRE(pm.starts_with(placeholder));
    pm.replace(0, placeholder.size(), line);
    write_file(folder_ / "PM.java", pm);
    write_file(folder_ / "PMC.java", line + std::string(pmc));
    write_file(folder_ / "DemoApplet.java", line + std::string(applet));
    const ProcessResult result = run_and_wait(
        {.argv = {"javac", "-J-XX:TieredStopAtLevel=1", "--release", "8", "-Xlint:-options", "-cp",
                  JCPROF_JCARDSIM, "-d", "classes", "PM.java", "PMC.java", "DemoApplet.java"},
         .cwd = folder_},
        {}, 120s);
    INFO(result.tail);
    REQUIRE(result.exit_status == 0);
  }
  ~Compiled() { fs::remove_all(folder_); }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

StartStep start_step(const Compiled& compiled, const std::string& class_name) {
  const std::string sim = "-Dcom.licel.jcardsim.";
  StartStep start;
  start.run = {"java",
               "-XX:TieredStopAtLevel=1",
               sim + "vsmartcard.host=127.0.0.1",
               sim + "vsmartcard.port={port}",
               sim + "vsmartcard.reloader.port=0",
               sim + "card.applet.0.AID=A0000000620301",
               sim + "card.applet.0.Class=" + class_name,
               "-cp",
               fmt::format("{}:{}", JCPROF_JCARDSIM, (compiled.folder() / "classes").string()),
               "com.licel.jcardsim.remote.VSmartCard",
               "/dev/null"};
  start.cwd = compiled.folder().string();
  return start;
}

Session session_scripts() {
  Session session;
  session.once = {ApduStep{.apdu = "80B80000 0A 07 A0000000620301 000000", .expect = "9000"}};
  session.after_reset = {ApduStep{.apdu = "00A40400 07 A0000000620301", .expect = "9000"}};
  return session;
}

bool can_run() {
  if (fs::exists(JCPROF_JCARDSIM) && std::system("javac -version >/dev/null 2>&1") == 0) return true;
  WARN("skipped: javac or " << JCPROF_JCARDSIM << " is missing (scripts/setup gets both)");
  return false;
}

/// A simulator with the applet in it, and words for what a test asks of it.
class Simulator {
 public:
  Simulator() : compiled_("") {
    Session scripts = session_scripts();
    scripts.reset = ResetMode::warm;
    std::unique_ptr<ApduChannel> channel = make_vpcd_channel({});
    const Placeholders values{{"port", channel->port()}};
    std::unique_ptr<Device> device =
        make_started_device(start_step(compiled_, "DemoApplet"), values, compiled_.folder() / "start.log");
    session_.emplace(SessionSetup{.session = scripts, .values = Placeholders{}, .arming = arming},
                     std::move(channel), std::move(device));
    session_->make_ready();
  }

  std::string ask(const std::string& hex) { return ask(*parse_hex(hex)); }
  std::string ask(const Bytes& command) {
    const Answer& answer = session_->transmit(command);
    REQUIRE(answer.state == ExchangeState::answered);
    return to_hex(answer.data) + to_text(answer.status);
  }
  void arm(std::uint32_t trap, std::uint32_t hit, std::uint8_t commands = 1) {
    CHECK(ask(arm_command(arming, {.trap = TrapId{trap}, .hit = hit}, commands)) == "9000");
  }
  CardTrace traced(const std::string& command, std::uint32_t from, std::uint16_t offset) {
    CHECK(ask(trace_command(arming, from, 1)) == "9000");
    CHECK(ask(command) == "9000");
    const Answer& answer = session_->transmit(read_trace_command(arming, offset));
    CHECK(answer.status == 0x9000);
    const std::optional<CardTrace> trace = parse_trace(answer.data);
    REQUIRE(trace);
    return *trace;
  }
  void reset() { CHECK(session_->reset_between_shots() == Contact::kept); }

 private:
  Compiled compiled_;
  std::optional<CardSession> session_;
};

const std::string stopped = "6FB5";
const std::string fine = "9000";

void stops_at_the_nth_hit(Simulator& card) {
  card.arm(2, 3);
  CHECK(card.ask("80100005") == stopped);
  CHECK(card.ask("80F4050000") == "00029000");
  card.arm(2, 6);
  CHECK(card.ask("80100005") == fine);
  card.arm(3, 1);
  CHECK(card.ask("80100000") == stopped);
  // More hits than 16 bits count.
  card.arm(2, 66'000);
  CHECK(card.ask("80104200") == stopped);
  card.arm(2, 66'001);
  CHECK(card.ask("80104200") == fine);
}

void arming_is_one_shot(Simulator& card) {
  card.arm(2, 1);
  CHECK(card.ask("80100005") == stopped);
  CHECK(card.ask("80100005") == fine);
  card.arm(3, 2, 2);
  CHECK(card.ask("80100001") == fine);
  CHECK(card.ask("80100001") == stopped);
  card.arm(3, 3, 2);
  CHECK(card.ask("80100001") == fine);
  CHECK(card.ask("80100001") == fine);
  CHECK(card.ask("80100001") == fine);
  card.arm(2, 1);
  card.arm(2, 1, 0);
  CHECK(card.ask("80100005") == fine);
}

void a_stop_cannot_be_swallowed(Simulator& card) {
  CHECK(card.ask("80200000") == fine);
  CHECK(card.ask("8040000000") == "069000");
  card.arm(4, 2);
  CHECK(card.ask("80200000") == stopped);
  CHECK(card.ask("8040000000") == "029000");
  CHECK(card.ask("80200000") == fine);
  CHECK(card.ask("8040000000") == "069000");
}

void an_open_transaction_is_aborted(Simulator& card) {
  card.arm(5, 1);
  CHECK(card.ask("80300000") == stopped);
  CHECK(card.ask("80300000") == fine);
}

void values_are_handed_on(Simulator& card) {
  CHECK(card.ask("8050000000") == "089000");
  card.arm(0xFFF0, 3);
  CHECK(card.ask("8050000000") == stopped);
}

PathDigest digest_of_path(std::span<const TrapId> path) {
  return {.signature = path_signature(path), .mix = path_mix(path)};
}

void traces_show_the_path(Simulator& card) {
  const CardTrace brief = card.traced("80100002", 0, 0);
  CHECK(brief.events == 4);
  CHECK(brief.traps == std::vector<TrapId>{TrapId{1}, TrapId{2}, TrapId{2}, TrapId{3}});
  CHECK(brief.before == PathDigest{.mix = 0});
  CHECK(brief.total == digest_of_path(brief.traps));
  const CardTrace beyond = card.traced("80100002", 100, 0);
  CHECK(beyond.logged == 0);
  CHECK(beyond.before == beyond.total);
}

void traces_come_in_windows(Simulator& card) {
  const CardTrace first = card.traced("80100300", 0, 1000);
  CHECK(first.events == 3002);
  CHECK(first.logged == 1024);
  CHECK(first.traps.size() == 24);
  std::vector<TrapId> path(3002, TrapId{2});
  path.front() = TrapId{1};
  path.back() = TrapId{3};
  CHECK(first.total == digest_of_path(path));
  const CardTrace last = card.traced("80100300", 2048, 900);
  CHECK(last.logged == 954);
  CHECK(last.traps.size() == 54);
  CHECK(last.traps.back() == TrapId{3});
  CHECK(last.before == digest_of_path(std::span(path).first(2048)));
}

void a_reset_disarms(Simulator& card) {
  card.arm(2, 1);
  card.reset();
  CHECK(card.ask("80100005") == fine);
}

/// jCardSim always has as much free memory as a card can tell.
void free_memory_is_told(Simulator& card) {
  const std::string all = "7fff7fff7fff";
  CHECK(card.ask(trace_memory_command(arming, 1)) == fine);
  CHECK(card.ask("80100005") == fine);
  CHECK(card.ask(read_memory_command(arming, 0)) == all + all + "0000" + fine);
  CHECK(card.ask(read_memory_command(arming, 9)) == all + all + "0000" + fine);
  CHECK(card.ask(read_trace_command(arming, 0)).starts_with("00000007"));
  CHECK(card.ask("80100005") == fine);
}

void calibration_leaves_nothing_armed(Simulator& card) {
  using enum CalibrationKind;
  for (const CalibrationKind kind :
       {empty, unarmed, counting, returned, calls, stop, frames, guards, sites}) {
    const bool stops = kind == stop || kind == frames || kind == guards || kind == sites;
    CHECK(card.ask(calibrate_command(arming, kind, kind == sites ? 8 : 64)) == (stops ? stopped : fine));
    CHECK(card.ask("80100005") == fine);
  }
}

void malformed_commands_are_refused(Simulator& card) {
  CHECK(card.ask("80F40100") == "6700");
  CHECK(card.ask("80F4010003000201") == "6700");
  CHECK(card.ask("80F4010007000200000000"
                 "01") == "6A80");
  CHECK(card.ask("80F40900") == "6A86");
  CHECK(card.ask("80F4040003"
                 "070001") == "6A80");
  CHECK(card.ask("80100005") == fine);
}

}  // namespace

TEST_CASE("PM.java on jCardSim keeps the protocol of docs/architecture.md") {
  if (!can_run()) return;
  Simulator card;
  CHECK(card.ask(hello_command(arming)) == "02cafe000100009000");
  CHECK(card.ask("80F4030002000000") == "6985");
  stops_at_the_nth_hit(card);
  arming_is_one_shot(card);
  a_stop_cannot_be_swallowed(card);
  an_open_transaction_is_aborted(card);
  values_are_handed_on(card);
  traces_show_the_path(card);
  traces_come_in_windows(card);
  CHECK(card.ask(hello_command(arming)) == "02cafe000104009000");
  free_memory_is_told(card);
  a_reset_disarms(card);
  calibration_leaves_nothing_armed(card);
  malformed_commands_are_refused(card);
}

TEST_CASE("a whole measurement on jCardSim") {
  if (!can_run()) return;
  const Compiled compiled("demo");
  Project project;
  project.file = compiled.folder() / "jcprof.json";
  project.root = compiled.folder();
  project.name = "demo";
  project.transport = "vpcd:";
  project.start = start_step(compiled, "demo.DemoApplet");
  project.session = session_scripts();
  project.trigger.apdus = {"8010 0004"};
  TrapMap map;
  map.card = arming;
  map.build = build;
  for (std::uint32_t id = 1; id <= 3; ++id)
    map.traps.push_back({.id = TrapId{id},
                         .key = std::to_string(id),
                         .name = fmt::format("TRAP_{}", id),
                         .kind = TrapKind::before,
                         .function = "DemoApplet.loop",
                         .path = "DemoApplet.java",
                         .line = id});
  const auto transport = make_transport(project, map, "", compiled.folder() / "out");
  Store store(compiled.folder() / "out/profile.jcprof", OpenMode::fresh);
  const Measured measured = measure(project, map, *transport, store, {.rounds = 6});
  CHECK(measured.run.state == RunState::complete);
  CHECK(store.paths(measured.run.id).at(0).events.size() == 6);
  const std::vector<StoredSample> samples = store.samples(measured.run.id);
  CHECK(std::ranges::count_if(samples, [](const StoredSample& s) { return s.round > 0; }) == 6 * 7);
  CHECK(std::ranges::all_of(samples, [](const StoredSample& s) {
    return s.outcome == (s.asked.trap == run_to_end ? Outcome::ended : Outcome::stopped) && s.ticks > 0;
  }));
  CHECK(store.calibrations(measured.run.id).size() >= 20 * 8);
  for (const Warning& warning : measured.warnings) {
    // Six rounds on a busy machine may well be unsteady; nothing else may go wrong.
    INFO(to_text(warning));
    CHECK((warning.kind == WarningKind::unsteady || warning.kind == WarningKind::trend));
  }
}
