// SPDX-License-Identifier: Apache-2.0
// jcprof init: writes a first project file for a source tree. The rewriter drafts its text.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "programs/build_survey.hpp"
#include "programs/verbs.hpp"
#include "rewriter/draft/jar.hpp"
#include "rewriter/draft/project_draft.hpp"
#include "rewriter/project_programs.hpp"
#include "rewriter/project_tree.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/file.hpp"
#include "src/core/project.hpp"
#include "src/core/shell_words.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

fs::path variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The cache of scripts/setup and scripts/optee-vm.
fs::path cache_folder() {
  const fs::path named = variable("JCPROF_CACHE");
  return named.empty() ? variable("HOME") / ".cache/jcprof" : named;
}

// Larger ones are no library for cards.
constexpr std::uintmax_t largest_jar = 64UL << 20U;

void look_into_jar(const fs::path& path, const std::string& name, rewriter::FoundTree& tree) {
  std::error_code none;
  if (fs::is_regular_file(path, none) && fs::file_size(path, none) <= largest_jar)
    tree.jars.emplace(name, rewriter::classes_in_jar(read_file(path)));
}

/// Those of scripts/setup, and what the user put beside them.
void find_simulators(rewriter::FoundTree& tree) {
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(cache_folder(), none)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("jcardsim") && name.ends_with(".jar"))
      look_into_jar(entry.path(), entry.path().string(), tree);
  }
}

/// A kit that a variable of the environment names, and files by which it is known.
struct Kit {
  const char* variable;
  TargetKind target;
  std::vector<const char*> files;
  const char* place;  // where it is found
};

const Kit sgx_sdk{.variable = "SGX_SDK",
                  .target = TargetKind::sgx_enclave,
                  .files = {"include/sgx_urts.h", "bin/x64/sgx_edger8r"},
                  .place = "the folder of Intel's SDK"};
const Kit optee_kit{.variable = "TA_DEV_KIT_DIR",
                    .target = TargetKind::optee_ta,
                    .files = {"mk/ta_dev_kit.mk"},
                    .place = "the folder export-ta_… of OP-TEE's build"};

/// Older kits have no tools.jar, and their converter needs a Java older than 8.
Kit card_kit(const char* variable) {
  return {.variable = variable,
          .target = TargetKind::applet,
          .files = {"lib/tools.jar"},
          .place = "the folder of a Java Card kit, 3.0.5 or newer"};
}

const std::array card_kits{card_kit("JC_HOME"), card_kit("JC_KIT")};

/// The file that a folder lacks for being that kit; null: none.
const char* missing_file(const Kit& kit, const fs::path& folder) {
  for (const char* file : kit.files)
    if (!fs::exists(folder / file)) return file;
  return nullptr;
}

/// Empty where there is none.
std::string known_sdk() {
  const fs::path folder = variable(sgx_sdk.variable);
  return missing_file(sgx_sdk, folder) == nullptr ? folder.string() : "";
}

/// OP-TEE's development kit: the environment's, else that of scripts/optee-vm; empty where there is none.
std::string known_dev_kit() {
  for (const fs::path& folder : {variable(optee_kit.variable),
                                 cache_folder() / "optee-vm/root/usr/lib/optee-os-dev/vexpress-qemu_armv8a"})
    if (missing_file(optee_kit, folder) == nullptr) return folder.string();
  return "";
}

fs::path whole_path(const fs::path& path) {
  return path.empty() ? path : fs::absolute(path);
}

/// Java Card's; none where neither variable names one.
std::optional<rewriter::CardKit> known_card_kit() {
  for (const Kit& named : card_kits) {
    const fs::path folder = whole_path(variable(named.variable));
    if (folder.empty() || missing_file(named, folder) != nullptr) continue;
    rewriter::CardKit kit{.folder = folder.string()};
    const auto api = [&](const char* version) {
      return folder / "lib" / fmt::format("api_classic{}.jar", version);
    };
    // Kits from 3.1 on convert for several versions, and those from 3.2 on read class files of Java 8.
    const bool has_versions = fs::exists(api("-3.0.4"));
    kit.api = api(has_versions ? "-3.0.4" : "");
    if (has_versions) kit.target = "3.0.4";
    if (!has_versions) kit.exports = folder / "api_export_files";
    if (!fs::exists(api("-3.2.0"))) kit.release = 7;
    if (const fs::path jar = whole_path(variable("GP_JAR")); !jar.empty()) kit.loader = {"java", "-jar", jar};
    return kit;
  }
  return std::nullopt;
}

/// Says that a variable names no kit, if the draft would have used one.
void say_of_wrong_kits(TargetKind target, const std::string& about_kit) {
  if (about_kit.empty()) return;
  for (const Kit& kit : {sgx_sdk, optee_kit, card_kits[0], card_kits[1]}) {
    const fs::path folder = variable(kit.variable);
    if (folder.empty() || kit.target != target) continue;
    if (const char* file = missing_file(kit, folder); file != nullptr)
      fmt::print(stderr, "note: {} is {}, where there is no {}: {}; set the variable to {}\n", kit.variable,
                 harmless(folder.string()), file, harmless(about_kit), kit.place);
  }
}

/// None where PATH leads into the folder: nobody has allowed what lies there.
std::string known_compiler(const fs::path& folder) {
  return rewriter::programs_of_generation({.root = folder}, folder / "jcprof-out").empty() ? "cc" : "";
}

rewriter::FoundTree look_at(const fs::path& folder, const InitOptions& options) {
  rewriter::FoundTree tree{.name = folder.filename().string()};
  tree.wanted_entry = options.entry;
  tree.wanted_ta = options.ta;
  tree.paths = rewriter::project_files({.root = folder}, folder / "jcprof-out");
  for (const std::string& path : tree.paths) {
    if (rewriter::is_telling(path) && fs::is_regular_file(folder / path))
      tree.texts.emplace(path, read_file(folder / path));
    if (path.ends_with(".jar")) look_into_jar(folder / path, path, tree);
  }
  find_simulators(tree);
  tree.dev_kit = known_dev_kit();
  tree.sdk = known_sdk();
  tree.is_sgx_hardware = variable("SGX_MODE") == "HW";
  tree.card_kit = known_card_kit();
  tree.compiler = known_compiler(folder);
  tree.root = folder;
  return tree;
}

void say(const rewriter::Draft& draft, const Project& project, const std::string& folder) {
  const bool is_ta = project.target == TargetKind::optee_ta;
  const char* const kind = is_ta                                       ? "trusted application"
                           : project.target == TargetKind::applet      ? "applet"
                           : project.target == TargetKind::sgx_enclave ? "ecall"
                                                                       : "program";
  constexpr std::size_t most = 8;
  if (!draft.taken.empty() && !draft.others.empty())
    fmt::print("the draft takes {}, one of {} programs\n", harmless(draft.taken), draft.others.size() + 1);
  for (std::size_t i = 0; i < std::min(draft.others.size(), most); ++i)
    fmt::print("another {}: {}; {} chooses it\n", kind, harmless(draft.others[i]),
               is_ta ? "--ta" : "--entry");
  if (draft.others.size() > most) fmt::print("and {} more\n", draft.others.size() - most);
  if (draft.is_test)
    fmt::print(
        "note: there are tests and examples only; a small program of your own that does the work once is "
        "better\n");
  fmt::print("{}: the {} {}, entry {}\nlook it over, above all \"trigger\"; then: jcprof profile {}\n",
             harmless(project.file.string()), name_of(project.target), harmless(project.name),
             project.entry.front(), harmless(shell_word(folder)));
}

}  // namespace

ExitCode init(const InitOptions& options) {
  catch_signals();
  const fs::path folder = fs::canonical(options.folder);
  const fs::path file = folder / "jcprof.json";
  if (fs::exists(fs::symlink_status(file)))
    throw UserError(Fault{.message = "there is a project file already",
                          .place = {.file = file.string()},
                          .hint = "init never overwrites: change it, or move it away"});
  rewriter::FoundTree tree = look_at(folder, options);
  if (rewriter::is_for_program(tree))
    if (const std::string missed = ask_build_system(tree, options.yes); !missed.empty())
      fmt::print(stderr, "note: {}\n", harmless(missed));
  const rewriter::Draft draft = rewriter::draft_project(tree);
  const Project project = parse_project(file, draft.text);
  write_file(file, draft.text);
  say_of_wrong_kits(project.target, draft.about_kit);
  if (!options.quiet) say(draft, project, options.folder);
  return ExitCode::done;
}

}  // namespace jcprof::cli
