// SPDX-License-Identifier: Apache-2.0
#include "rewriter/edl/files.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "rewriter/edl/text.hpp"
#include "rewriter/edl/tokens.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

// No EDL comes near either limit, and a parser reads this much within seconds.
constexpr std::chrono::minutes patience{1};
constexpr std::size_t largest_edl = std::size_t{2} << 20;
// `jcprof init` has no limit that a child takes over, and #include "/dev/zero" would take all memory.
constexpr const char* limited = "ulimit -v 1048576 2>/dev/null; exec \"$@\"";

/// As paths below `root` are written; others are absolute.
std::string path_from(const fs::path& root, const fs::path& file) {
  const fs::path relative = file.lexically_relative(root);
  return relative.empty() || *relative.begin() == ".." ? file.string() : relative.generic_string();
}

class Linker {
 public:
  Linker(const EdlFinder& find, const EdlReader& read) : find_(find), read_(read) {}

  Edl link(const std::string& path) {
    files_.insert(path);
    edl_.main = parsed(path);
    follow(edl_.main);
    add(edl_.main, {});
    return std::move(edl_);
  }

 private:
  EdlFile parsed(const std::string& path) const {
    const EdlText text = read_(path);
    return parse_edl(path, text.text, text.preprocessed);
  }

  void follow(EdlFile& file) {
    for (EdlImport& import : file.items.imports) {
      import.path = find_(file.path, import.file).value_or("");
      if (import.path.empty()) {
        if (std::ranges::find(edl_.not_found, import.file) == edl_.not_found.end())
          edl_.not_found.push_back(import.file);
      } else if (files_.insert(import.path).second) {
        EdlFile imported = parsed(import.path);
        const std::size_t place = edl_.imported.size();
        edl_.imported.emplace_back();
        follow(imported);
        edl_.imported[place] = std::move(imported);
      }
    }
  }

  /// Adds what is `wanted` of a file (nothing: all), then of its imports.
  void add(const EdlFile& file, const std::set<std::string>& wanted) {
    if (!added_.insert({file.path, wanted}).second) return;
    add_functions(file.items.trusted, wanted, edl_.ecalls);
    add_functions(file.items.untrusted, wanted, edl_.ocalls);
    add_new(file.items.includes, edl_.includes);
    add_new(file.items.declarations, edl_.declarations);
    for (const EdlImport& import : file.items.imports) {
      const auto imported = std::ranges::find(edl_.imported, import.path, &EdlFile::path);
      if (imported == edl_.imported.end()) continue;
      add(*imported, import.names.empty() ? wanted : std::set(import.names.begin(), import.names.end()));
    }
  }

  template <class Item>
  static void add_new(const std::vector<Item>& from, std::vector<Item>& to) {
    for (const Item& item : from)
      if (std::ranges::find(to, item) == to.end()) to.push_back(item);
  }

  void add_functions(const std::vector<EdlFunction>& from, const std::set<std::string>& wanted,
                     std::vector<EdlFunction>& to) {
    for (const EdlFunction& function : from)
      if ((wanted.empty() || wanted.contains(function.name)) && names_.insert(function.name).second)
        to.push_back(function);
  }

  const EdlFinder& find_;
  const EdlReader& read_;
  Edl edl_;
  std::set<std::string> files_;
  std::set<std::string> names_;
  std::set<std::pair<std::string, std::set<std::string>>> added_;
};

/// The compiler's first error: "enclave/kv.edl:3:10: fatal error: sizes.h: No such file or directory".
UserError refusal(const std::string& path, const std::string& text, const std::string& output) {
  static const std::regex error(R"((.+?):(\d{1,9}):(?:\d+:)? (?:fatal )?error: (.*))");
  Fault fault{.message = "the C preprocessor fails",
              .place = {.file = path},
              .hint =
                  "#include looks beside the file, in \"edl_search\" and in the -I of "
                  "\"compile.flags\"; -D defines macros there"};
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    // A pattern takes stack for each byte of a line.
    std::smatch match;
    if (line.size() > 2000 || !std::regex_match(line, match, error)) continue;
    const EdlLine place{.file = fs::path(match[1].str()).lexically_normal().generic_string(),
                        .number = std::stoul(match[2].str())};
    const std::vector<EdlToken> tokens = edl_tokens(path, text);
    const auto token = std::ranges::find(tokens, place, &EdlToken::line);
    fault.message = "the C preprocessor says: " + match[3].str();
    fault.place = token == tokens.end() ? Place{.file = place.file, .line = place.number}
                                        : place_at(path, text, token->begin);
    break;
  }
  return UserError(fault);
}

UserError no_compiler(const EdlSettings& settings, const std::string& path) {
  return {
      Fault{.message = settings.compiler.empty()
                           ? "the EDL has preprocessor directives, and there is no C compiler to read them"
                           : fmt::format("the EDL has preprocessor directives, and the C compiler \"{}\" "
                                         "that reads them cannot be started",
                                         settings.compiler),
            .place = {.file = path},
            .hint = "sudo apt install gcc, or name another in \"compile.compiler\""},
      ExitCode::environment};
}

}  // namespace

Edl link_edl(const std::string& path, const EdlFinder& find, const EdlReader& read) {
  return Linker(find, read).link(path);
}

EdlText preprocessed_edl(const EdlSettings& settings, const std::string& path, const std::string& text) {
  if (text.size() > largest_edl)
    throw UserError(Fault{.message = "the EDL has more than 2 MiB", .place = {.file = path}});
  const auto is_directive = [](const EdlToken& token) { return token.kind == EdlToken::Kind::directive; };
  if (std::ranges::none_of(edl_tokens(path, text), is_directive)) return {text, text};
  if (settings.compiler.empty()) throw no_compiler(settings, path);
  // As the SDK's tool does it, which knows no warning either.
  Command command{.argv = {"/bin/sh", "-c", limited, "sh", settings.compiler, "-x", "c", "-E", "-w"},
                  .cwd = settings.root,
                  .environment = {{"LC_ALL", "C"}}};
  command.argv.insert(command.argv.end(), settings.flags.begin(), settings.flags.end());
  for (const std::string& folder : settings.search)
    command.argv.push_back("-I" + (folder.empty() ? "." : folder));
  // A name may begin as a flag does.
  command.argv.push_back(path.starts_with('/') ? path : "./" + path);
  const UniqueFd file(::memfd_create("jcprof", MFD_CLOEXEC));
  const ProcessResult ended =
      run_and_wait(command, {.keep_bytes = largest_edl, .descriptor = file.get()}, patience);
  const bool is_started = ended.exit_status != 126 && ended.exit_status != 127;  // as a shell says it
  if (!is_started) throw no_compiler(settings, path);
  std::string output = read_file(fmt::format("/proc/self/fd/{}", file.get()));
  if (ended.timed_out || output.size() >= largest_edl)
    throw UserError(
        Fault{.message = "the C preprocessor makes too much of this EDL", .place = {.file = path}});
  if (ended.exit_status != 0) throw refusal(path, text, output);
  return {text, output};
}

std::optional<fs::path> sdk_headers() {
  const char* const sdk = std::getenv("SGX_SDK");
  if (sdk == nullptr || *sdk == '\0') return std::nullopt;
  return fs::path(sdk) / "include";
}

Edl read_edl(const EdlSettings& settings, const std::string& path) {
  const fs::path& root = settings.root;
  const auto find = [&](const std::string& importer, const std::string& name) -> std::optional<std::string> {
    std::vector<fs::path> places{(root / importer).parent_path()};
    for (const std::string& folder : settings.search) places.push_back(root / folder);
    if (const std::optional<fs::path> sdk = sdk_headers()) places.push_back(*sdk);
    for (const fs::path& place : places)
      if (fs::is_regular_file(place / name)) return path_from(root, (place / name).lexically_normal());
    return std::nullopt;
  };
  return link_edl(fs::path(path).lexically_normal().generic_string(), find, [&](const std::string& file) {
    return preprocessed_edl(settings, file, read_file(root / file));
  });
}

bool is_open_enclave(const Edl& edl) {
  const auto is_theirs = [](const std::string& path) { return path.starts_with("openenclave/"); };
  const auto uses_it = [&](const EdlFile& file) {
    return std::ranges::any_of(file.items.imports, is_theirs, &EdlImport::file) ||
           std::ranges::any_of(file.items.includes, is_theirs);
  };
  return uses_it(edl.main) || std::ranges::any_of(edl.imported, uses_it);
}

}  // namespace jcprof::rewriter
