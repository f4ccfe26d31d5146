// SPDX-License-Identifier: Apache-2.0
#include "harness/transports.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "harness/card_transport.hpp"
#include "harness/vpcd.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof::harness {
namespace {

const std::vector<std::string>& later_schemes() {
  static const std::vector<std::string> schemes{"pcsc", "exec", "agent"};
  return schemes;
}

UserError bad_transport(const Project& project, std::string message, std::string hint) {
  return UserError(Fault{
      .message = std::move(message), .place = {.file = project.file.string()}, .hint = std::move(hint)});
}

std::optional<std::uint16_t> vpcd_port(const Project& project, std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port == 0)
    throw bad_transport(project, fmt::format("\"{}\" is no port", text),
                        "\"vpcd:\" takes any free one, \"vpcd:35963\" that one");
  return port;
}

Placeholders placeholders(const Project& project, const std::filesystem::path& out_dir,
                          const std::string& port) {
  const std::filesystem::path out = std::filesystem::absolute(out_dir);
  return {{"tree", (out / "tree").string()},
          {"out", out.string()},
          {"project", project.root.string()},
          {"port", port},
          {"seed", std::to_string(project.measure.seed)}};
}

std::unique_ptr<Transport> make_vpcd(const Project& project, const TrapMap& map, std::string_view address,
                                     const std::filesystem::path& out_dir) {
  if (project.target != TargetKind::applet)
    throw bad_transport(project, "transport \"vpcd:\" reaches applets, and the target is something else",
                        "\"target\": \"applet\"");
  std::unique_ptr<ApduChannel> channel =
      make_vpcd_channel({.port = vpcd_port(project, address), .timeout = project.session.timeout});
  const Placeholders values = placeholders(project, out_dir, channel->port());
  const std::filesystem::path log = std::filesystem::absolute(out_dir) / "logs" / "start.log";
  std::unique_ptr<Device> device =
      project.start ? make_started_device(*project.start, values, log) : make_foreign_device();
  return make_card_transport({.session = project.session,
                              .trigger = project.trigger,
                              .arming = map.card,
                              .build = map.build,
                              .placeholders = values,
                              .device = project.device},
                             std::move(channel), std::move(device));
}

}  // namespace

std::unique_ptr<Transport> make_transport(const Project& project, const TrapMap& map, const std::string& uri,
                                          const std::filesystem::path& out_dir) {
  const std::string& text = uri.empty() ? project.transport : uri;
  if (text.empty())
    throw bad_transport(project, "no transport is named", "\"transport\": \"vpcd:\", or --transport vpcd:");
  const std::string scheme = text.substr(0, text.find(':'));
  if (scheme == "vpcd")
    return make_vpcd(project, map, text.size() > scheme.size() ? text.substr(scheme.size() + 1) : "",
                     out_dir);
  if (std::ranges::find(later_schemes(), scheme) != later_schemes().end())
    throw bad_transport(project, fmt::format("transport \"{}:\" is not in this version of jcprof", scheme),
                        "\"vpcd:\" measures virtual cards");
  std::vector<std::string> known = later_schemes();
  known.emplace_back("vpcd");
  const std::string guess = did_you_mean(scheme, known);
  throw bad_transport(project, fmt::format("unknown transport \"{}\"", scheme),
                      guess.empty() ? "there is \"vpcd:\"" : guess);
}

}  // namespace jcprof::harness
