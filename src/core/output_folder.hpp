// SPDX-License-Identifier: Apache-2.0
// The folder that a command writes into: jcprof's own by a marker file, apart from the project, and held by
// one command at a time (docs/safety.md). What is written into it goes through the functions of file.hpp.
#pragma once

#include <filesystem>
#include <string>

#include "src/core/unique_fd.hpp"

namespace jcprof {

inline constexpr const char* output_marker = ".jcprof-out";
/// The one name that an output folder inside a project may have.
inline constexpr const char* usual_output_folder = "jcprof-out";

struct OutputWish {
  std::filesystem::path folder;        // made where it is missing
  std::string verb;                    // "jcprof run", for whoever comes second
  std::filesystem::path project = {};  // the project's folder; empty: there is none
};

class OutputFolder {
 public:
  /// Opens and locks. UserError when the folder is a link, not empty and not jcprof's, or contains the
  /// project or lies in it under another name than jcprof-out; UserError (environment) naming who holds it.
  /// Under the lock of a jcprof that started this one it works along.
  explicit OutputFolder(const OutputWish& wish);
  /// A folder that was made and got nothing goes again.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Absolute, without links.
  const std::filesystem::path& path() const { return path_; }

  /// Lets the program that this process becomes next work along: between fork and exec.
  void hand_over() const;

 private:
  std::filesystem::path path_;
  UniqueFd lock_;
  bool is_holder_ = true;
  bool was_there_ = true;
};

/// A folder that jcprof made, 0.1 included.
bool is_output_folder(const std::filesystem::path& folder);

}  // namespace jcprof
