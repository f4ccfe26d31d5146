// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/pcsc_place.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* applet = "com.licel.jcardsim.card.applet.0.";

void use_port_and_name(const fs::path& project, const PrivatePcscd& daemon, int reader) {
  replace_in(project / "jcprof.json", "\"vpcd:\"",
             fmt::format("\"pcsc:{}\"", PrivatePcscd::names.at(static_cast<std::size_t>(reader))));
  const std::string text = read_file(project / "jcprof.json");
  if (text.find("port={port}") != std::string::npos)
    replace_in(project / "jcprof.json", "port={port}", fmt::format("port={}", daemon.port(reader)));
}

}  // namespace

void use_virtual_card(const fs::path& project) {
  const fs::path file = project / "jcprof.json";
  replace_in(file, "\"com.licel.jcardsim.remote.VSmartCard\", \"/dev/null\"", "\"VirtualCard\"");
  replace_in(file, "\"-cp\", \"{project}/../lib/jcardsim.jar:",
             fmt::format("\"-cp\", \"{}:", virtual_card_classpath()));
}

void use_reader(const fs::path& project, const PrivatePcscd& daemon, int reader) {
  use_virtual_card(project);
  use_port_and_name(project, daemon, reader);
}

void use_agent(const fs::path& project, const std::string& before) {
  const fs::path file = project / "jcprof.json";
  std::string text = read_file(file);
  const std::size_t begin = text.find("\"start\"");
  if (begin != std::string::npos) {
    const std::size_t end = text.find("]},", begin) + 2;
    text.replace(begin, end - begin,
                 fmt::format("\"agent\": {{\"options\": {{{}}}}}", text.substr(begin, end - begin)));
    write_file(file, text);
  }
  replace_in(file, "\"transport\": \"pcsc:",
             fmt::format("\"transport\": \"agent:{}jcprof-agent-card pcsc:", before));
}

void use_card_by_hand(const fs::path& project) {
  const fs::path file = project / "jcprof.json";
  std::string text = read_file(file);
  const std::size_t begin = text.find("\"start\"");
  const std::size_t end = text.find("]},", begin);
  REQUIRE(end != std::string::npos);
  write_file(file, text.erase(begin, end + 3 - begin));
  replace_in(file, "\"80B800000A 07 F0000000010101 000000\"",
             "{\"apdu\": \"80B800000A 07 F0000000010101 000000\", \"expect\": \"????\"}");
  replace_in(file, "\"vpcd:\"", fmt::format("\"pcsc:{}\"", PrivatePcscd::names.front()));
}

Command card_by_hand(const fs::path& project, const PrivatePcscd& daemon, int reader) {
  return card_by_hand(project, daemon.port(reader), {});
}

Command card_by_hand(const fs::path& project, std::uint16_t port,
                     const std::vector<std::string>& properties) {
  Command card{
      .argv = {"java", "-XX:TieredStopAtLevel=1", "-Dcom.licel.jcardsim.vsmartcard.host=127.0.0.1",
               fmt::format("-Dcom.licel.jcardsim.vsmartcard.port={}", port),
               fmt::format("-D{}AID=F0000000010101", applet),
               fmt::format("-D{}Class=com.example.pin.PinApplet", applet), "-cp",
               fmt::format("{}:{}", virtual_card_classpath(), (project / "jcprof-out/classes").string())},
      .cwd = project,
      .environment = {}};
  card.argv.insert(card.argv.end(), properties.begin(), properties.end());
  card.argv.emplace_back("VirtualCard");
  return card;
}

}  // namespace jcprof::test
