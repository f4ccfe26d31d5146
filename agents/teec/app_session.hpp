// SPDX-License-Identifier: Apache-2.0
// A session with an instrumented trusted application: opened and closed with the scripts of the project, and
// with our command served (docs/optee.md). What a shot is, is not known here.
#pragma once

#include <memory>
#include <stdexcept>
#include <vector>

#include "agents/teec/tee.hpp"
#include "agents/teec/wishes.hpp"
#include "templates/jcprof_plugin.h"

namespace jcprof::teec {

/// The TA has panicked, or died in another way. The session is of no more use.
class TaLost : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Verbs of our command.
enum class Verb : std::uint32_t {
  arm = 0,
  empty = 1,
  unarmed = 2,
  counting = 3,
  report = 4,
  panic = 5,
  record = 6,  // of a build that records: on where there is room, else off
  log = 7,     // of such a build: its log instead of ids; `events` are the words of all
  returned = 8,
  stop = 9,
};

/// What our command told.
struct Report {
  jcprof_window head{};
  std::vector<std::uint32_t> ids{};
  Ticks ticks = 0;  // of a calibration
};

class AppSession {
 public:
  AppSession(std::shared_ptr<Tee> tee, Wishes wishes) : tee_(std::move(tee)), wishes_(std::move(wishes)) {}
  ~AppSession() { close(); }
  AppSession(const AppSession&) = delete;
  AppSession& operator=(const AppSession&) = delete;

  const Wishes& wishes() const { return wishes_; }
  bool is_open() const { return is_open_; }
  /// With an instance that nobody has used, and the scripts for that. UserError when it cannot be.
  void open();
  void close();
  /// Has the instance panic, and closes what is left.
  void panic();
  void reset(agents::Reset how);

  // TaLost where it dies; UserError where what comes is not what the project says.
  Answer invoke(std::uint32_t command, Params& params, Timing timing = Timing::untimed);
  void run_script(const Script& script, const char* name, const Bytes& input);
  /// Our command, with room for so many ids behind the window; `first` of a report, of those.
  Report tell(Verb verb, const jcprof_window& head, std::size_t room = 0, std::uint32_t first = 0);

 private:
  void open_alone();
  bool is_instance_used();
  void run_step(const CommandStep& step, const std::string& where, const Bytes& input);

  std::shared_ptr<Tee> tee_;
  Wishes wishes_;
  bool is_open_ = false;
};

}  // namespace jcprof::teec
