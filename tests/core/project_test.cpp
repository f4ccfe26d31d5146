// SPDX-License-Identifier: Apache-2.0
#include "src/core/project.hpp"

#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/core/fault_text.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof {
namespace {

using namespace std::chrono_literals;
using test::fault_text;
using test::TemporaryFolder;

constexpr std::string_view full = R"({
  "format": "jcprof-project", "version": 1,  // strict JSON, with comments
  "name": "pin-verify",
  "target": "applet",
  "sources": ["src/**/*.java"],
  "exclude_from_tree": ["big/**"],
  "entry": "PinApplet.process",
  "profile": {"include": ["PinApplet.verify"], "exclude": ["*.log"], "level": "none", "markers": false},
  "compile": {"classpath": ["{project}/api.jar"], "flags": ["-g"]},
  "build": [{"run": ["javac", "-d", "{out}/classes", ""], "cwd": "{tree}", "timeout_s": 7}, {"run": ["true"]}],
  "install": [{"run": ["gp", "--load"]}],
  "start": {"run": ["java", "Sim", "{port}"], "cwd": "{out}", "ready": "up at {port}", "timeout_s": 5},
  "transport": "vpcd:35963",
  "device": "gd60",
  "arming": {"cla": "80", "ins": "F4", "status": "6fb5"},
  "session": {
    "once": ["80B80000 05 0102030405 00"],
    "before_each": [{"apdu": "0020 0000 {input}", "expect": "9000|63C?"}, {"reset": "cold"}, {"wait": "100ms"}],
    "after_each": ["00CA000000"],
    "after_reset": ["00A4040007A0000000041010"],
    "reset": "warm", "timeout": "1m", "abort_on": ["6983"], "exchange": {"run": ["scp03", "{reader}"]}
  },
  "trigger": {"apdu": ["B0310000 {lc} {input}", "B0320000"], "le": 256},
  "inputs": {"list": ["31323334", "31 32", ""]},
  "measure": {"absolute": 0.25, "relative": 2, "max_time": "30m", "max_shots": 1000, "seed": 42}
})";

constexpr std::string_view small = R"({"format": "jcprof-project", "version": 1, "target": "applet",
"sources": ["*.java"], "entry": ["A.process", "B.process"], "trigger": {"apdu": "B0310000"}})";

Project parsed(std::string_view text) {
  return parse_project("dir/jcprof.json", text);
}

/// The smallest project with a further section.
Project with(const std::string& section) {
  std::string text(small);
  text.insert(1, section + ", ");
  return parsed(text);
}

InputSpec inputs_of(const std::string& inputs) {
  std::string text(small);
  text.replace(text.find("B0310000"), 8, "B0310000{input}");
  text.insert(1, "\"inputs\": " + inputs + ", ");
  return parsed(text).inputs;
}

TEST_CASE("every key of a project file arrives") {
  const Project project = parsed(full);
  CHECK(project.file == std::filesystem::current_path() / "dir/jcprof.json");
  CHECK(project.root == std::filesystem::current_path() / "dir");
  CHECK(project.name == "pin-verify");
  CHECK(project.target == TargetKind::applet);
  CHECK(project.sources == std::vector<std::string>{"src/**/*.java"});
  CHECK(project.exclude_from_tree == std::vector<std::string>{"big/**"});
  CHECK(project.entry == std::vector<std::string>{"PinApplet.process"});
  CHECK(project.profile.include == std::vector<std::string>{"PinApplet.verify"});
  CHECK(project.profile.exclude == std::vector<std::string>{"*.log"});
  CHECK(project.profile.level == TrapLevel::none);
  CHECK_FALSE(project.profile.markers);
  CHECK(project.compile.classpath == std::vector<std::string>{"{project}/api.jar"});
  CHECK(project.compile.flags == std::vector<std::string>{"-g"});
  REQUIRE(project.build.size() == 2);
  CHECK(project.build[0].run == std::vector<std::string>{"javac", "-d", "{out}/classes", ""});
  CHECK(project.build[0].timeout == 7s);
  CHECK(project.build[1].cwd == "{tree}");
  CHECK(project.build[1].timeout == 120s);
  CHECK(project.install.size() == 1);
  REQUIRE(project.start);
  CHECK(project.start->run == std::vector<std::string>{"java", "Sim", "{port}"});
  CHECK(project.start->cwd == "{out}");
  CHECK(project.start->ready == "up at {port}");
  CHECK(project.start->timeout == 5s);
  CHECK(project.transport == "vpcd:35963");
  CHECK(project.device == "gd60");
  CHECK(project.arming == CardArming{.cla = 0x80, .ins = 0xF4, .stop_status = 0x6FB5});
}

TEST_CASE("session, trigger, inputs and precision arrive") {
  const Project project = parsed(full);
  const Session& session = project.session;
  CHECK(session.once == Script{ApduStep{"80B80000 05 0102030405 00", ""}});
  CHECK(session.before_each ==
        Script{ApduStep{"0020 0000 {input}", "9000|63C?"}, ResetStep{ResetMode::cold}, WaitStep{100ms}});
  CHECK(session.after_each == Script{ApduStep{"00CA000000", ""}});
  CHECK(session.after_reset == Script{ApduStep{"00A4040007A0000000041010", ""}});
  CHECK(session.reset == ResetMode::warm);
  CHECK(session.timeout == 60s);
  CHECK(session.abort_on == std::vector<std::string>{"6983"});
  CHECK(session.exchange == std::vector<std::string>{"scp03", "{reader}"});
  CHECK(project.trigger.apdus == std::vector<std::string>{"B0310000 {lc} {input}", "B0320000"});
  CHECK(project.trigger.le == 256U);
  CHECK(std::get<InputList>(project.inputs).hex == std::vector<std::string>{"31323334", "31 32", ""});
  CHECK(project.measure.absolute_points == 0.25);
  CHECK(project.measure.relative_percent == 2);
  CHECK(project.measure.max_time == 30min);
  CHECK(project.measure.max_shots == 1000U);
  CHECK(project.measure.seed == 42);
}

TEST_CASE("what a small project file leaves out has its default") {
  const Project project = parsed(small);
  CHECK(project.name == "dir");
  CHECK(project.entry == std::vector<std::string>{"A.process", "B.process"});
  CHECK(project.profile.include == std::vector<std::string>{"*"});
  CHECK(project.profile.level == TrapLevel::statement);
  CHECK(project.profile.markers);
  CHECK_FALSE(project.start);
  CHECK(project.transport.empty());
  CHECK_FALSE(project.arming);
  CHECK(project.session.timeout == 10s);
  CHECK(project.session.abort_on == std::vector<std::string>{"63C?", "6983"});
  CHECK(project.session.exchange.empty());
  CHECK_FALSE(project.trigger.le);
  CHECK(std::holds_alternative<std::monostate>(project.inputs));
  CHECK(project.measure.absolute_points == 0.5);
  CHECK(project.measure.relative_percent == 5);
  CHECK_FALSE(project.measure.max_time);
  CHECK(project.measure.seed == 1);
}

TEST_CASE("how precisely, how long and in which order is measured is no part of the project's digest") {
  const auto digest_with = [](const std::string& section) { return with(section).digest; };
  CHECK(digest_with(R"("measure": {"absolute": 0.1, "max_time": "1m", "seed": 7})") == parsed(small).digest);
  CHECK(parsed("// a remark\n" + std::string(small)).digest == parsed(small).digest);
  CHECK(digest_with(R"("session": {"timeout": "1m"})") != parsed(small).digest);
  const std::string sent = R"("session": {"before_each": ["00200000 {seed}"]})";
  CHECK(digest_with(sent + R"(, "measure": {"absolute": 0.1})") == digest_with(sent));
  CHECK(digest_with(sent + R"(, "measure": {"seed": 7})") != digest_with(sent));
}

TEST_CASE("inputs come in seven forms") {
  CHECK(std::get<FixedInput>(inputs_of(R"({"fixed": "0102"})")).hex == "0102");
  CHECK(std::get<InputList>(inputs_of(R"({"list": ["01"]})")).hex == std::vector<std::string>{"01"});
  CHECK(std::get<InputFile>(inputs_of(R"({"file": "pins.txt"})")).path == "pins.txt");
  CHECK(std::get<InputPattern>(inputs_of(R"({"pattern": "00[0-9A-F]{2} 3[13]"})")).pattern ==
        "00[0-9A-F]{2} 3[13]");
  CHECK(std::get<RandomInput>(inputs_of(R"({"random": 16})")).bytes == 16);
  const auto classes = std::get<std::shared_ptr<InputClasses>>(
      inputs_of(R"({"classes": {"right": {"fixed": "01"}, "wrong": {"random": 1}}})"));
  REQUIRE(classes->classes.size() == 2);
  CHECK(classes->classes[0].first == "right");
  CHECK(std::get<RandomInput>(classes->classes[1].second).bytes == 1);
  const auto split =
      std::get<std::shared_ptr<InputSplit>>(inputs_of(R"({"split": "bit-length", "of": {"random": 8}})"));
  CHECK(split->by == SplitBy::bit_length);
  CHECK(std::get<RandomInput>(split->of).bytes == 8);
}

TEST_CASE("an agent is told of trigger, session and options as they stand in the file") {
  const Project agent = parsed(R"({"format": "jcprof-project", "version": 1, "target": "sgx-enclave",
    "sources": ["*.c"], "entry": "ecall", "transport": "agent:./agent {seed}", "trigger": {"ecall": 7},
    "session": {"timeout": "2s", /* so */ "once": ["00A40400"]},
    "agent": {"per_batch": true, "options": {"enclave": "e.signed.so"}}})");
  CHECK(agent.trigger.object == R"({"ecall":7})");
  CHECK(agent.session.object == R"({"timeout":"2s","once":["00A40400"]})");
  CHECK(agent.agent.options == R"({"enclave":"e.signed.so"})");
  CHECK(agent.agent.per_batch);
}

TEST_CASE("scripts of a trusted application are the agent's, as they stand in the file") {
  const std::string session =
      R"({"once":[{"command":1,"params":[null],"expect":"ffff000?"}],"before_each":[{"reset":"session"},{"wait":"1ms"}],"timeout":"2s"})";
  const Project ta = parsed(R"({"format": "jcprof-project", "version": 1, "target": "optee-ta",
    "sources": ["*.c"], "transport": "agent:./agent", "trigger": {"ta": "7"}, "session": )" +
                            session + "}");
  CHECK(ta.session.object == session);
  CHECK(ta.session.timeout == 2s);
}

TEST_CASE("an enclave is reached by its bridge, and its one entry is the ecall, unless told otherwise") {
  const std::string head = R"({"format": "jcprof-project", "version": 1, "target": "sgx-enclave",
    "sources": ["*.c"], "entry": )";
  const Project plain = parsed(head + "\"ecall_get\"}");
  CHECK(plain.transport == "agent:jcprof-agent-ecall {tree}/bridge.so");
  CHECK(plain.trigger.object == R"({"ecall":"ecall_get"})");
  CHECK(plain.compile.edl.empty());
  const Project told =
      parsed(head + R"("ecall_get", "transport": "agent:./mine", "trigger": {"ecall": "ecall_put"},
    "compile": {"edl": "enclave/kv.edl", "edl_search": ["edl", "/opt/sgx/include"]}})");
  CHECK(told.transport == "agent:./mine");
  CHECK(told.trigger.object == R"({"ecall":"ecall_put"})");
  CHECK(told.compile.edl == "enclave/kv.edl");
  CHECK(told.compile.edl_search == std::vector<std::string>{"edl", "/opt/sgx/include"});
}

TEST_CASE("a program is triggered by a command, an agent by any object") {
  const Project program = parsed(R"({"format": "jcprof-project", "version": 1, "target": "program",
    "sources": ["*.c"], "entry": "main", "trigger": {"run": ["{out}/a.out", "{input}"]}, "inputs": {"random": 2}})");
  CHECK(program.trigger.run == std::vector<std::string>{"{out}/a.out", "{input}"});
  const Project agent = parsed(R"({"format": "jcprof-project", "version": 1, "target": "optee-ta",
    "sources": ["*.c"], "entry": "TA_InvokeCommandEntryPoint", "transport": "agent:ssh board jcprof-agent-teec",
    "trigger": { "command" : 7, /* the slow one */ "params": [1.0, "x"] }})");
  CHECK(agent.trigger.object == R"({"command":7,"params":[1.0,"x"]})");
  const Project named = parsed(R"({"format": "jcprof-project", "version": 1, "target": "optee-ta",
    "sources": ["*.c"], "trigger": {"command": 7}})");
  CHECK(named.entry == std::vector<std::string>{"TA_InvokeCommandEntryPoint"});
  CHECK_THAT(test::fault_text([] {
               parsed(R"({"format": "jcprof-project", "version": 1, "target": "optee-ta",
                 "sources": ["*.c"], "entry": "cmd_sign", "trigger": {"command": 7}})");
             }),
             Catch::Contains("a trusted application is entered by TA_InvokeCommandEntryPoint alone"));
}

TEST_CASE("APDUs of every length form are taken") {
  for (const std::string apdu :
       {"B0310000", "B031000000", "B0310000 01 FF", "B0310000 01 FF 00", "B0310000 000000",
        "B0310000 000001 FF", "B0310000 000001 FF 0000", "{input}", "B0310000{input}00", "B0310000{seed}"}) {
    INFO(apdu);
    const bool uses_input = apdu.find("{input}") != std::string::npos;
    std::string text(small);
    text.replace(text.find("B0310000"), 8, apdu);
    if (uses_input) text.insert(1, R"("inputs": {"random": 4}, )");
    CHECK(parsed(text).trigger.apdus == std::vector<std::string>{apdu});
  }
}

TEST_CASE("transports of every scheme are taken") {
  for (const std::string transport :
       {"pcsc:", "pcsc:ACS ACR122*", "vpcd:", "vpcd:35963", "agent:python3 {project}/agent.py"}) {
    INFO(transport);
    std::string text(small);
    if (transport.starts_with("agent")) text.replace(text.find("\"apdu\""), 6, "\"do\"");
    text.insert(1, "\"transport\": \"" + transport + "\", ");
    CHECK(parsed(text).transport == transport);
  }
}

TEST_CASE("durations have four units") {
  const auto timeout = [](const std::string& text) {
    return with("\"session\": {\"timeout\": \"" + text + "\"}").session.timeout;
  };
  CHECK(timeout("500ms") == 500ms);
  CHECK(timeout("10s") == 10s);
  CHECK(timeout("30m") == 30min);
  CHECK(timeout("2h") == 2h);
}

TEST_CASE("the example of docs/project-file.md is a project file") {
  const std::string page = read_file(JCPROF_SOURCE_DIR "/docs/project-file.md");
  const std::string opening = "```jsonc\n";
  const std::size_t begin = page.find(opening) + opening.size();
  CHECK(parsed(std::string_view(page).substr(begin, page.find("```", begin) - begin)).transport == "vpcd:");
}

TEST_CASE("a project is read from its file, from its folder, and with a byte order mark") {
  const TemporaryFolder folder;
  write_file(folder / "jcprof.json", "\xEF\xBB\xBF" + std::string(small));
  CHECK(read_project(folder / "jcprof.json").root == folder.path());
  CHECK(read_project(folder.path()).file == folder / "jcprof.json");
  CHECK(read_project(folder.path()).name == folder.path().filename());
}

TEST_CASE("a project that cannot be read is named as the user named it") {
  const TemporaryFolder folder;
  CHECK(fault_text([&] { read_project(folder.path()); }) ==
        folder.path().string() +
            ": there is no jcprof.json in this folder\n"
            "hint: name the project file, or a folder that holds a jcprof.json; `jcprof init` writes one");
  CHECK(fault_text([] { read_project("../no/such/p.json"); }) ==
        "../no/such/p.json: cannot read: No such file or directory");
  write_file(folder / "jcprof.json", "");
  CHECK(fault_text([&] { read_project(folder.path()); }) ==
        (folder / "jcprof.json").string() + ":1: the file is empty");
}

TEST_CASE("placeholders are filled in, other braces stay") {
  const Placeholders values{{"tree", "/t"}, {"out", "{tree}"}};
  CHECK(fill_in("-d {out}/x:{tree}{tree}", values) == "-d {tree}/x:/t/t");
  CHECK(fill_in(R"({"a": {2}} {} { x } {)", values) == R"({"a": {2}} {} { x } {)");
  CHECK(fill_in("{{tree}", values) == "{tree}");
}

TEST_CASE("a placeholder without a value is named with those that have one") {
  CHECK(fault_text([] { fill_in("x{port}", {{"tree", ""}, {"out", ""}}); }) ==
        "\"{port}\" has no value in \"x{port}\"\nhint: known here: {out}, {tree}");
}

}  // namespace
}  // namespace jcprof
