// SPDX-License-Identifier: Apache-2.0
#include "rewriter/strip_files.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cstdlib>

#include "rewriter/edits.hpp"
#include "rewriter/java/runtime.hpp"
#include "src/core/file.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

UserError cannot(const std::string& what, const fs::path& file) {
  return {Fault{.message = fmt::format("cannot {}: {}", what, std::strerror(errno)),
                .place = {.file = file.string()}},
          ExitCode::environment};
}

struct stat status_of(const fs::path& file) {
  struct stat status = {};
  if (::lstat(file.c_str(), &status) != 0) throw cannot("read", file);
  return status;
}

/// Written beside under a name that nobody knows, then renamed.
void replace(const fs::path& file, std::string_view content) {
  const struct stat before = status_of(file);
  if (before.st_nlink > 1)
    throw UserError(Fault{
        .message =
            fmt::format("has {} names (hard links), and only this one would lose its traps", before.st_nlink),
        .place = {.file = file.string()},
        .hint = "make it a file of its own: cp -p it, and rename the copy over it"});
  std::string beside = file.string() + ".XXXXXX";
  const UniqueFd fd(::mkostemp(beside.data(), O_CLOEXEC));
  if (fd.get() < 0) throw cannot("write", file);
  // The owner comes first: giving a file away takes its set-user-id bit.
  [[maybe_unused]] const int given = ::fchown(fd.get(), before.st_uid, before.st_gid);
  const bool is_written = ::fchmod(fd.get(), before.st_mode & 07777) == 0 && write_all(fd.get(), content) &&
                          ::fsync(fd.get()) == 0 && ::rename(beside.c_str(), file.c_str()) == 0;
  if (is_written) return;
  const UserError failure = cannot("write", file);
  ::unlink(beside.c_str());
  throw failure;
}

/// Back to the name that it had in the sources.
void restore(const fs::path& file) {
  const std::string name = file.string().substr(0, file.string().size() - original_suffix.size());
  if (fs::exists(fs::symlink_status(name)))
    throw UserError(
        Fault{.message = fmt::format("\"{}\" is there already", name), .place = {.file = file.string()}});
  fs::rename(file, name);
}

class Stripping {
 public:
  void strip_file(const fs::path& file) {
    collect(file, [&] {
      const std::string text = read_file(file);
      if (file.string().ends_with(original_suffix))
        return replaced_.push_back(file);  // what took its place goes first
      if (is_runtime_source(text))
        fs::remove(file);
      else if (carries_traps(text))
        replace(file, strip(file.string(), text));
      else
        return;
      ++result_.changed;
    });
  }

  void strip_folder(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> files;  // first all names: stripping changes the folder
    for (auto i = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied);
         i != fs::recursive_directory_iterator(); i.increment(error)) {
      const fs::file_type type = i->symlink_status(error).type();
      if (type == fs::file_type::regular) files.push_back(i->path());
      if (type == fs::file_type::directory && ::access(i->path().c_str(), R_OK | X_OK) != 0)
        result_.faults.push_back(cannot("look into it", i->path()).faults().front());
    }
    for (const fs::path& file : files) strip_file(file);
  }

  StrippedFiles finish() {
    for (const fs::path& file : replaced_)
      collect(file, [&] {
        restore(file);
        ++result_.changed;
      });
    return std::move(result_);
  }

 private:
  template <class Action>
  void collect(const fs::path& file, const Action& action) {
    try {
      action();
    } catch (const UserError& error) {
      result_.faults.insert(result_.faults.end(), error.faults().begin(), error.faults().end());
    } catch (const fs::filesystem_error& error) {
      result_.faults.push_back({.message = error.code().message(), .place = {.file = file.string()}});
    }
  }

  StrippedFiles result_;
  std::vector<fs::path> replaced_;
};

}  // namespace

StrippedFiles strip_in_place(const fs::path& file_or_folder) {
  Stripping stripping;
  std::error_code error;
  const fs::path there = fs::canonical(file_or_folder, error);
  const fs::path& path = error ? file_or_folder : there;
  if (fs::is_directory(path, error))
    stripping.strip_folder(path);
  else
    stripping.strip_file(path);
  return stripping.finish();
}

}  // namespace jcprof::rewriter
