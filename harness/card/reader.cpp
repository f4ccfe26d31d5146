// SPDX-License-Identifier: Apache-2.0
#include "harness/card/reader.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "harness/card/pcsc.hpp"
#include "harness/card/vpcd.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof::harness {
namespace {

std::optional<std::uint16_t> vpcd_port(std::string_view text, const std::string& file) {
  if (text.empty()) return std::nullopt;
  const std::optional<std::uint16_t> port = whole_number<std::uint16_t>(text);
  if (port.value_or(0) == 0)
    throw UserError(Fault{.message = fmt::format("\"{}\" is no port", text),
                          .place = {.file = file},
                          .hint = "\"vpcd:\" takes any free one, \"vpcd:35963\" that one"});
  return port;
}

}  // namespace

std::string reader_of(std::string_view address) {
  const char* const environment = std::getenv("GP_READER");
  if (address.empty() && environment != nullptr) return environment;
  return std::string(address);
}

std::unique_ptr<ApduChannel> make_card_channel(std::string_view uri, std::chrono::milliseconds timeout,
                                               const std::string& file) {
  const std::string_view scheme = uri.substr(0, uri.find(':'));
  const std::string_view address = uri.substr(std::min(uri.size(), scheme.size() + 1));
  if (scheme == "vpcd") return make_vpcd_channel({.port = vpcd_port(address, file), .timeout = timeout});
  if (scheme == "pcsc") return make_pcsc_channel({.reader = reader_of(address), .timeout = timeout});
  return nullptr;
}

std::chrono::seconds patience_for(const ApduChannel& channel) {
  // Someone may be starting a virtual card by hand; a card in a reader is there or it is not.
  return std::chrono::seconds{channel.port().empty() ? 10 : 60};
}

std::chrono::milliseconds longest_run(const Session& session, const Trigger& trigger) {
  std::chrono::milliseconds sum = session.timeout * static_cast<std::int64_t>(trigger.apdus.size());
  for (const Script* script :
       {&session.once, &session.before_each, &session.after_each, &session.after_reset})
    for (const ScriptStep& step : *script) {
      const auto* wait = std::get_if<WaitStep>(&step);
      sum += wait == nullptr ? session.timeout : wait->time;
    }
  return sum;
}

}  // namespace jcprof::harness
