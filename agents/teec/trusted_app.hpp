// SPDX-License-Identifier: Apache-2.0
// A session with a trusted application as the subject of an agent: orders become invocations, armed before
// and read back behind. Nothing watches an invocation: what does not return is for jcprof to end.
#pragma once

#include <string>
#include <vector>

#include "agents/subject.hpp"
#include "agents/teec/app_session.hpp"

namespace jcprof::teec {

class TrustedApp : public agents::Subject {
 public:
  TrustedApp(std::shared_ptr<Tee> tee, Wishes wishes) : session_(std::move(tee), std::move(wishes)) {}

  bool is_loaded() const override { return session_.is_open(); }
  void load(std::int64_t limit_ns) override;
  void end() override { session_.close(); }
  void kill() override;
  agents::Run run(std::span<const agents::Order> orders, const Take& take) override;
  std::string why(const agents::Run&) const override { return why_; }
  agents::Window window() const override;
  std::span<const std::uint8_t> reply(const agents::Result& result) const override;
  std::vector<agents::Placed> place(std::span<const Bytes> inputs) override;
  /// It shares no memory.
  void record_into(const std::filesystem::path&) override {}
  Bytes own_log() override;

 private:
  /// What came of one run of the trigger.
  struct Shot {
    Answer answer;
    Params params;
    Report report;
  };

  void carry_out(const agents::Order& order, agents::Result& result);
  void call(const agents::Order& order, agents::Result& result);
  Shot shoot(const agents::Order& order);
  Shot trace(const agents::Order& order);
  Report read_window();

  AppSession session_;
  std::vector<Bytes> inputs_;
  Bytes replies_;  // of a list of orders
  jcprof_window traced_{};
  std::vector<std::uint32_t> ids_;  // of the last traced run
  std::string why_;
};

}  // namespace jcprof::teec
