// SPDX-License-Identifier: Apache-2.0
// jcprof-agent-teec: the agent protocol in front of a trusted application, on standard input and output or on
// those of the QEMU that it runs in.
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "agents/say.hpp"
#include "agents/teec/hello.hpp"
#include "agents/teec/libteec.hpp"
#include "agents/teec/patience.hpp"
#include "agents/teec/semihosting.hpp"
#include "programs/main_guard.hpp"

namespace {

using namespace jcprof;

constexpr const char* help =
    R"(Invokes a command of a trusted application, and stops and times it for jcprof
(docs/optee.md).

Usage: jcprof-agent-teec [OPTIONS]

Options:
  -h,--help                 print this help
  --version                 print the version
  --semihosting             exchange requests and answers through standard input
                            and output of the QEMU that this runs in
  --instructions            the virtual clock of the machine counts instructions
  --simulated               mark the results: the target is no real device
  --device NAME             name of the target, for reports

jcprof starts it: "transport": "agent:ssh BOARD jcprof-agent-teec".
)";

struct Options {
  bool uses_semihosting = false;
  teec::Place place{.device = "OP-TEE"};
};

/// Where requests come from, a piece at a time, and answers go to, a line at a time.
struct Ends {
  std::function<std::size_t(std::span<char>)> read;
  std::function<void(const std::string&)> say;
};

Ends ends(const Options& options) {
  if (!options.uses_semihosting)
    return {.read =
                [](std::span<char> to) {
                  const ssize_t size = ::read(STDIN_FILENO, to.data(), to.size());
                  return size < 0 ? 0 : static_cast<std::size_t>(size);
                },
            .say = agents::say};
  const teec::HostFile in("/dev/stdin", teec::HostFile::Mode::read);
  const teec::HostFile out("/dev/stdout", teec::HostFile::Mode::append);
  return {.read = [in](std::span<char> to) { return in.read_line(to); },
          .say = [out](const std::string& line) { out.write(line + "\n"); }};
}

/// Serves whole lines until there are no more, or one says so.
void serve_lines(agents::Service& service, const Ends& ends) {
  constexpr std::size_t chunk = std::size_t{1} << 16U;
  std::string text;
  while (true) {
    const std::size_t held = text.size();
    text.resize(held + chunk);
    const std::size_t size = ends.read(std::span(text).subspan(held));
    text.resize(held + size);
    if (size == 0) return;
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n', held); end != std::string::npos; end = text.find('\n', begin)) {
      if (!service.serve(std::string_view(text).substr(begin, end - begin))) return;
      begin = end + 1;
    }
    text.erase(0, begin);
  }
}

ExitCode serve(const Options& options) {
  const Ends both = ends(options);
  const auto greet = [&](const AgentGreeting& greeting, const agents::Service::Refuse& refuse) {
    const teec::Patience patience(greeting, refuse);
    return teec::greet(greeting, options.place, teec::make_tee);
  };
  agents::Service service(greet, both.say);
  serve_lines(service, both);
  const std::string account = service.account();
  if (!account.empty()) fmt::print(stderr, "jcprof-agent-teec: {}\n", account);
  return ExitCode::done;
}

Options options_of(std::span<char*> words) {
  Options options;
  for (auto word = words.begin(); word != words.end(); ++word) {
    const std::string_view name = *word;
    if (name == "--semihosting")
      options.uses_semihosting = true;
    else if (name == "--instructions")
      options.place.counts = teec::Counts::instructions;
    else if (name == "--simulated")
      options.place.is_simulated = true;
    else if (name == "--device" && word + 1 != words.end())
      options.place.device = *++word;
    else
      throw UserError(Fault{.message = fmt::format("the option \"{}\" is unknown, or lacks its value", name),
                            .hint = "`jcprof-agent-teec --help` lists the options"});
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  return cli::guarded([&] {
    if (agents::is_about_program(argc, argv, help)) return ExitCode::done;
    return serve(options_of(std::span(argv, static_cast<std::size_t>(argc)).subspan(1)));
  });
}
