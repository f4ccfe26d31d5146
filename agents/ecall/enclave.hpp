// SPDX-License-Identifier: Apache-2.0
// The enclave wherever it lives at the moment: loaded, loaded anew in its process or in another.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agents/ecall/enclave_process.hpp"
#include "agents/ecall/exchange.hpp"
#include "agents/subject.hpp"
#include "src/core/types.hpp"

namespace jcprof::ecall {

using agents::Run;

class Enclave : public agents::Subject {
 public:
  explicit Enclave(ChildSettings settings) : settings_(std::move(settings)), exchange_(make_exchange()) {}

  bool is_loaded() const override { return process_.has_value(); }
  void load(std::int64_t limit_ns) override;
  /// Ends its process.
  void end() override { process_.reset(); }
  /// In its process another enclave was before.
  bool is_second_of_its_kind() const override { return is_second_; }
  void replace_from_now_on() override {
    needs_process_ = true;
    is_second_ = false;
    end();
  }
  Run run(std::span<const Order> orders, const Take& take) override;
  std::string why(const Run& run) const override;
  std::string way_out() const override { return text_in(exchange_->hint); }

  std::string device() const { return text_in(exchange_->device); }
  std::string note() const { return text_in(exchange_->note); }
  bool is_simulated() const { return (exchange_->flags & JCPROF_PLUGIN_SIMULATED) != 0; }
  agents::Window window() const override;
  std::span<const std::uint8_t> reply(const Result& result) const override;
  /// One behind the other from the first room on.
  std::vector<agents::Placed> place(std::span<const Bytes> inputs) override;
  void record_into(const std::filesystem::path& log) override {
    settings_.log = log;
    end();
  }

 private:
  /// Whether it could be loaded in the process that it is in.
  bool load_in_place(Order load);

  ChildSettings settings_;
  std::unique_ptr<Exchange, Unmap> exchange_;
  std::optional<EnclaveProcess> process_;
  std::string ending_;  // of the process that was lost last
  bool needs_process_ = false;
  bool is_second_ = false;
};

}  // namespace jcprof::ecall
