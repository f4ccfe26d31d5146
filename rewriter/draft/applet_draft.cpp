// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/applet_draft.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "rewriter/draft/text.hpp"
#include "src/core/iso7816.hpp"
#include "src/core/json_text.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter::draft {
namespace {

// Proprietary (F0), then "jcprof".
constexpr std::string_view made_up_aid = "F06A6370726F66";

bool is_simulated(const AppletFacts& facts) {
  return !facts.jars.simulator.empty();
}

// --- Building ---

/// The simulator has the API of the card in it.
Strings class_path(const AppletFacts& facts) {
  if (!is_simulated(facts) && facts.kit) return {facts.kit->api};
  Strings path = facts.jars.libraries;
  if (is_simulated(facts)) path.insert(path.begin(), facts.jars.simulator);
  return path;
}

std::string compile_step(const AppletFacts& facts, const Strings& path, int release = 8) {
  Strings argv{"javac",        "--release", std::to_string(release), "-encoding",
               facts.encoding, "-nowarn",   "-Xlint:-options"};
  if (!path.empty()) {
    argv.emplace_back("-cp");
    argv.push_back(fmt::format("{}", fmt::join(path, ":")));
  }
  if (!facts.source_roots.empty())
    argv.insert(argv.end(), {"-sourcepath", fmt::format("{}", fmt::join(facts.source_roots, ":"))});
  argv.insert(argv.end(), {"-d", "{out}/classes"});
  argv.insert(argv.end(), facts.compiled.begin(), facts.compiled.end());
  return step(argv);
}

std::string aid_of(const AppletFacts& facts) {
  return facts.aid.empty() ? std::string(made_up_aid) : facts.aid;
}

std::string package_of(const AppletFacts& facts) {
  return facts.class_name.substr(0, facts.class_name.rfind('.'));
}

/// The converter writes AIDs so: 0xA0:0x00.
std::string aid_of_converter(std::string_view hex) {
  std::string text;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    text += fmt::format("{}0x{}", text.empty() ? "" : ":", hex.substr(i, 2));
  return text;
}

/// Where the converter writes it.
std::string cap_file(const AppletFacts& facts) {
  std::string path = package_of(facts);
  std::ranges::replace(path, '.', '/');
  return fmt::format("{{out}}/cap/{}/javacard/{}.cap", path, name_of_file(path));
}

std::string convert_step(const AppletFacts& facts) {
  const CardKit& kit = *facts.kit;
  // A package and its applets share the first five bytes, which are their owner's.
  constexpr std::size_t owner = 10;
  Strings argv{
      "java",     "-Djc.home=" + kit.folder, "-cp", kit.folder + "/lib/*", "com.sun.javacard.converter.Main",
      "-nobanner"};
  if (!kit.target.empty()) argv.insert(argv.end(), {"-target", kit.target});
  if (!kit.exports.empty()) argv.insert(argv.end(), {"-exportpath", kit.exports});
  if (facts.uses_int) argv.emplace_back("-i");
  argv.insert(argv.end(), {"-classdir", "{out}/classes", "-applet", aid_of_converter(aid_of(facts)),
                           facts.class_name, "-d", "{out}/cap", "-out", "CAP", package_of(facts),
                           aid_of_converter(aid_of(facts).substr(0, owner) + "6A6370"), "1.0"});
  return step(argv);
}

std::string load_step(const AppletFacts& facts) {
  Strings argv = facts.kit->loader;
  argv.insert(argv.end(), {"--force", "--install", cap_file(facts)});
  return step(argv);
}

/// The project's own way to a CAP file, which a simulator does not need.
std::string cap_step(const AppletFacts& facts) {
  constexpr std::string_view patient = ", \"timeout_s\": 600";
  const std::string in_tree = "{tree}/" + facts.builder;
  if (name_of_file(facts.builder) == "pom.xml") return step({"mvn", "-q", "-f", in_tree, "package"}, patient);
  if (facts.builder.ends_with(".xml")) return step({"ant", "-f", in_tree}, patient);
  if (!facts.builder.empty()) return step({"gradle", "-p", folder_of(in_tree), "build"}, patient);
  return compile_step(facts, class_path(facts));
}

Strings kit_steps(const AppletFacts& facts) {
  return {compile_step(facts, {facts.kit->api}, facts.kit->release), convert_step(facts)};
}

Strings build_steps(const AppletFacts& facts) {
  if (is_simulated(facts)) return {compile_step(facts, class_path(facts))};
  return facts.kit ? kit_steps(facts) : Strings{cap_step(facts)};
}

// --- Card and simulator ---

/// The same project on a card.
std::string steps_for_card(const AppletFacts& facts) {
  return steps("build", kit_steps(facts)) + ",\n" + steps("install", {load_step(facts)}) + ",\n";
}

std::string commented(const std::string& text) {
  std::string comment;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) comment += "  //" + line.substr(1) + "\n";
  return comment;
}

std::string simulator_sections(const AppletFacts& facts, std::string_view aid) {
  const std::string property = "-Dcom.licel.jcardsim.";
  Strings argv{"java",
               "-XX:TieredStopAtLevel=1",
               property + "vsmartcard.host=127.0.0.1",
               property + "vsmartcard.port={port}",
               fmt::format("{}card.applet.0.AID={}", property, aid),
               fmt::format("{}card.applet.0.Class={}", property, facts.class_name)};
  argv.insert(argv.end(), facts.properties.begin(), facts.properties.end());
  Strings path{facts.jars.simulator, "{out}/classes"};
  path.insert(path.end(), facts.jars.libraries.begin(), facts.jars.libraries.end());
  argv.insert(argv.end(), {"-cp", fmt::format("{}", fmt::join(path, ":")),
                           "com.licel.jcardsim.remote.VSmartCard", "/dev/null"});
  std::string notes;
  if (!facts.jars.missing.empty())
    notes = fmt::format(
        "  // The build names jCardSim {}, which is newer than this one. Where this one will not do, fetch "
        "that, and write\n"
        "  // its path here, in \"build\" and in \"compile\".\n",
        plain_line(facts.jars.missing));
  if (facts.jars.listens)
    notes += "  // This version also listens on port 8099, on all of the machine's addresses.\n";
  return fmt::format(
      R"(  // jCardSim as a virtual card, which connects to {{port}}. For a real card: no "start", "transport": "pcsc:", a
  // "build" that makes the CAP file, and an "install" that loads it; then "once" is not needed.
{}{}  "start": {{"run": {}}},
  "transport": "vpcd:",
  "device": "jcardsim",
)",
      facts.kit ? commented(steps_for_card(facts)) : "", notes, list(argv, 19));
}

std::string card_sections(const AppletFacts& facts) {
  constexpr std::string_view transport = "  \"transport\": \"pcsc:\",\n";
  if (facts.kit)
    return fmt::format(
        "  // Loads it onto the card in the reader, in the place of an applet with this AID. gp is "
        "GlobalPlatformPro.\n  // Afterwards, \"gp --uninstall\" with the same file deletes it.\n{},\n{}",
        steps("install", {load_step(facts)}), transport);
  return fmt::format(
      R"(  // No jCardSim was found, so jcprof measures a card in a reader. Write the step here that loads the CAP file. If
  // JC_HOME names a Java Card kit, jcprof init writes the steps for an applet of one package.
  // "install": [{{"run": ["gp", "--force", "--install", "{{tree}}/applet.cap"]}}],
{})",
      transport);
}

std::string session(const AppletFacts& facts, std::string_view aid) {
  std::string text = fmt::format(
      "  \"session\": {{\n    // {}\n",
      facts.aid.empty()
          ? "No AID was found in the tree: this one is made up. Write the applet's own where it checks it."
          : "The AID is that of " + json_string(facts.aid_from) + ".");
  if (is_simulated(facts))
    text += fmt::format("    \"once\": [\"80B80000{:02X} {:02X} {} 000000\"],  // install\n",
                        aid.size() / 2 + 3, aid.size() / 2, aid);
  return text +
         fmt::format("    \"after_reset\": [\"00A40400{:02X} {}\"]  // SELECT\n  }},\n", aid.size() / 2, aid);
}

// --- Trigger ---

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

/// A command that is likely to check a secret: tries that fail are counted, and end in a locked card.
bool may_spend_tries(const Instruction& instruction) {
  return std::ranges::find(ins_counting_tries, std::stoi(instruction.value, nullptr, 16)) !=
             ins_counting_tries.end() ||
         contains_one_of(upper(instruction.name),
                         {"VERIFY", "PIN", "PUK", "AUTH", "UNBLOCK", "LOGIN", "PASSWORD"});
}

/// The words of a constant's name: INS_GET_DATA has INS, GET and DATA.
bool names_one_of(const Instruction& instruction, const std::set<std::string, std::less<>>& words) {
  std::istringstream name(upper(instruction.name));
  for (std::string word; std::getline(name, word, '_');)
    if (words.contains(word)) return true;
  return false;
}

/// By its name: the card may be another one afterwards, or none at all.
bool may_change_card(const Instruction& instruction) {
  static const std::set<std::string, std::less<>> changing{
      "ACTIVATE", "BLOCK", "CHANGE",    "CLEAR",  "CREATE", "CREDIT", "DEACTIVATE", "DEBIT",  "DELETE",
      "DISABLE",  "ERASE", "FORMAT",    "IMPORT", "INIT",   "LOCK",   "PUT",        "REMOVE", "RESET",
      "SET",      "STORE", "TERMINATE", "UPDATE", "WIPE",   "WRITE",  "GENERATE",   "SETUP",  "KILL"};
  return names_one_of(instruction, changing) && !names_one_of(instruction, {"GET", "READ"});
}

/// How good a first trigger it is: it costs nothing, needs nothing, and leaves the card as it was.
int merit(const Instruction& instruction) {
  const bool is_transport = is_one_of(instruction.value, {"A4", "C0"});  // SELECT, GET RESPONSE
  const bool reads =
      contains_one_of(upper(instruction.name), {"GET", "READ", "LIST", "INFO", "STATUS", "VERSION"});
  const bool does_harm = may_spend_tries(instruction) || may_change_card(instruction);
  return (does_harm || is_transport ? 0 : 4) + (instruction.takes_data ? 0 : 2) + (reads ? 1 : 0);
}

std::string notes_on(const Instruction& instruction) {
  Strings notes;
  if (instruction.takes_data) notes.emplace_back("takes data");
  if (may_spend_tries(instruction)) notes.emplace_back(R"(may count tries: add "counts_tries": true)");
  if (may_change_card(instruction)) notes.emplace_back("may change the card");
  return notes.empty() ? "" : fmt::format("  ({})", fmt::join(notes, "; "));
}

std::string trigger(const AppletFacts& facts) {
  const std::vector<Instruction>& known = facts.commands.instructions;
  std::string text = "  // The command under study: CLA INS P1 P2, then data.";
  if (known.empty()) text += " No instruction was found in the sources: fill in yours.";
  text += "\n";
  for (const Instruction& found : known)
    text += fmt::format("  //   {} {}{}\n", found.value, found.name, notes_on(found));
  const auto chosen = std::ranges::max_element(known, {}, merit);
  const std::string apdu = fmt::format("{}{}0000", facts.commands.cla.empty() ? "80" : facts.commands.cla,
                                       known.empty() ? "00" : chosen->value);
  const std::string counts = !known.empty() && may_spend_tries(*chosen) ? R"(, "counts_tries": true)" : "";
  const std::string with_data = fmt::format(
      R"("trigger": {{"apdu": "{} {{input}}"{}}}, "inputs": {{"fixed": "31323334"}},)", apdu, counts);
  if (!known.empty() && chosen->takes_data)
    return text + "  // With data, here four bytes; fill in yours.\n  " + with_data + "\n";
  return text + fmt::format("  \"trigger\": {{\"apdu\": \"{}\"{}}},\n  // With data, here four bytes: {}\n",
                            apdu, counts, with_data);
}

std::string other_applets(const Strings& others) {
  std::string text = others.empty() ? "" : "  // Other applets here, for jcprof init --entry NAME:\n";
  for (const std::string& other : others) text += fmt::format("  //   {}\n", plain_line(other));
  return text;
}

}  // namespace

std::string applet_project(const std::string& name, const AppletFacts& facts) {
  const std::string aid = aid_of(facts);
  return head(name, "applet") + "  // What the applet is made of. Traps go into a copy of these files.\n" +
         list("sources", facts.globs) + ",\n" + "  // What the card calls for each command.\n" +
         other_applets(facts.others) + fmt::format("  \"entry\": {}", json_string(facts.entry)) + ",\n" +
         std::string(scope) + "  // The class path that traps are tried against by compiling.\n" +
         fmt::format("  \"compile\": {{\"classpath\": {}}},\n", list(class_path(facts), 27)) +
         "  // How the copy with traps, {tree}, is built.\n" + steps("build", build_steps(facts)) + ",\n" +
         (is_simulated(facts) ? simulator_sections(facts, aid) : card_sections(facts)) + session(facts, aid) +
         trigger(facts) + tail(is_simulated(facts) ? "; a simulator is a noisy target" : "");
}

}  // namespace jcprof::rewriter::draft
