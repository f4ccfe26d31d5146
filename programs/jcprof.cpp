// SPDX-License-Identifier: Apache-2.0
// jcprof: one name for all. gen, run, annotate and record are programs of their own, run as git runs its
// siblings.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "programs/main_guard.hpp"
#include "programs/verbs.hpp"
#include "src/core/text.hpp"

namespace {

using namespace jcprof;
using namespace jcprof::cli;

struct Verb {
  std::string name;
  std::string description;
  Work (*add)(CLI::App&);  // nullptr: a sibling
};

const std::array<Verb, 11> verbs{{
    {"init", "look at a source tree and write a first project file", init_verb},
    {"gen", "put traps into a copy of the sources", nullptr},
    {"run", "measure: stop at one trap at a time", nullptr},
    {"annotate", "estimate, and write the times beside the source lines", nullptr},
    {"profile", "gen, build, install, run and annotate in one go", profile_verb},
    {"record", "run a program once and write down each call, line and mark", nullptr},
    {"export", "write a profile as JSON, CSV, flame graph or gmon.out", export_verb},
    {"query", "SQL over profiles", query_verb},
    {"layers", "where the time of a round trip to a trusted application goes", layers_verb},
    {"doctor", "look at readers, JDK, clock and project: what is missing, how to get it", doctor_verb},
    {"strip", "take traps out of sources again", strip_verb},
}};

int run_sibling(const std::string& verb, int argc, char** argv) {
  std::string program = sibling("jcprof-" + verb).string();
  std::vector<char*> arguments{program.data()};
  arguments.insert(arguments.end(), argv + 2, argv + argc);
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  fmt::print(stderr, "cannot run \"{}\": {}\nhint: is jcprof installed as a whole?\n", program,
             std::strerror(errno));
  return static_cast<int>(ExitCode::environment);
}

void refuse_unknown_verb(std::string_view word) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs) names.push_back(verb.name);
  if (word.starts_with('-') || std::ranges::find(names, word) != names.end()) return;
  std::string hint = did_you_mean(word, names);
  if (hint.empty()) hint = "jcprof --help lists the verbs";
  throw UserError(Fault{.message = fmt::format("unknown verb \"{}\"", word), .hint = hint});
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Times code in smart cards, enclaves, trusted applications and programs line by line, from outside.",
      "jcprof"};
  app.require_subcommand(1);
  std::map<const CLI::App*, Work> work;
  for (const Verb& verb : verbs) {
    CLI::App* subcommand = app.add_subcommand(verb.name, verb.description);
    if (verb.add == nullptr && argc > 1 && argv[1] == verb.name) return run_sibling(verb.name, argc, argv);
    if (verb.add != nullptr) work.emplace(subcommand, verb.add(*subcommand));
  }
  try {
    if (argc > 1) refuse_unknown_verb(argv[1]);
  } catch (const UserError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.exit_code());
  }
  return guarded_main(app, argc, argv, [&] { return work.at(app.get_subcommands().front())(); });
}
