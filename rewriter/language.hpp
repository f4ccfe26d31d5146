// SPDX-License-Identifier: Apache-2.0
// The steps of generate() that depend on the language: reading the sources as models, making the runtime that
// traps need, and trying whether the written tree compiles. Plans nothing.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "rewriter/plan.hpp"
#include "rewriter/source_model.hpp"
#include "src/core/error.hpp"
#include "src/core/project.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::rewriter {

/// The sources with what is to be done to them.
struct Instrumentation {
  std::vector<SourceModel> models;
  TrapPlan plan = {};
};

/// A trap that what was written does not compile with.
struct Refusal {
  std::size_t file = 0;    // index of the model
  std::uint32_t site = 0;  // in it
  std::string reason;      // in the compiler's words
  std::string place = {};  // that it complains of, where that lies in no source with traps
  std::string what = "it does not compile there";
  std::string left = {};  // the level that was gone down to; empty: it is about this trap
};

struct CheckResult {
  std::vector<Refusal> refused = {};  // empty: what is written can stay
  std::vector<std::string> notes = {};
  bool tight = false;  // may be too large for a card
};

/// Sources that cannot be made out; the others can be read without them.
class UnreadableSources : public UserError {
 public:
  struct Source {
    std::string path;  // as in the project
    std::vector<Fault> faults;
  };
  explicit UnreadableSources(std::vector<Source> sources);
  const std::vector<Source>& sources() const { return sources_; }

 private:
  std::vector<Source> sources_;
};

class Language {
 public:
  virtual ~Language() = default;

  /// In the order of `paths`; those `without` are not parsed, and their models have no sites. Throws
  /// UnreadableSources with all that cannot be, or a UserError where nothing can be done without them.
  virtual std::vector<SourceModel> read(const std::vector<std::string>& paths,
                                        const std::set<std::string>& without) = 0;
  /// Once, with the first plan: settles what the runtime is called among the project's `files`, and plans
  /// again where that changes the policy.
  virtual void prepare(Instrumentation& work, const std::vector<std::string>& files, TrapPolicy& policy) = 0;
  /// Adds the language's own part of the map. UserError where the map holds more traps than the language
  /// does.
  virtual void complete(TrapMap& map, const std::vector<SourceModel>& models) = 0;
  /// Writes instrumented sources and the runtime over the copies in `tree`.
  virtual void write(const Instrumentation& work, const TrapMap& map, const std::filesystem::path& tree) = 0;
  /// Tries what write() wrote; once more after each result that refuses something.
  virtual CheckResult check(const Instrumentation& work, const std::filesystem::path& tree) = 0;
};

struct TreePlaces {
  std::filesystem::path out;   // the output folder
  std::filesystem::path work;  // a folder in it for what is not done yet
};

/// `project` must outlive it; `out` is the output folder.
std::unique_ptr<Language> java_language(const Project& project);
std::unique_ptr<Language> c_language(const Project& project, const std::filesystem::path& out);
/// C and C++ of an enclave, with its EDL; what its untrusted side is built of goes to `work`/edge.
std::unique_ptr<Language> enclave_language(const Project& project, const std::vector<std::string>& files,
                                           const std::vector<std::string>& sources, const TreePlaces& places);

}  // namespace jcprof::rewriter
