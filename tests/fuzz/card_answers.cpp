// SPDX-License-Identifier: Apache-2.0
// A card that answers anything: to hello, to a trace, with any run of status words; and any list of ATRs.
#include "harness/card/apdu.hpp"
#include "harness/card/name.hpp"
#include "harness/card/protocol.hpp"
#include "tests/fuzz/fuzzing.hpp"

using namespace jcprof;
using namespace jcprof::harness;

namespace {

constexpr std::array<std::uint8_t, 5> command{0x80, 0xB0, 0x00, 0x00, 0x00};

Answer answer_of(fuzzing::Input input) {
  const auto exchange = [&](std::span<const std::uint8_t> /*command*/) -> Exchange {
    const fuzzing::Input reply = fuzzing::take(input, 2U + fuzzing::take_byte(input));
    return {.state = reply.size() < 2 ? ExchangeState::lost : ExchangeState::answered, .reply = reply};
  };
  Answer answer;
  exchange_whole(command, 0x6FB5, exchange, answer);
  return answer;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzzing::survives([&] {
    const fuzzing::Input input{data, size};
    (void)parse_hello(input);
    (void)parse_trace(input);
    (void)find_card_name({0x3B, 0x9F, 0x95, 0x81, 0x31, 0xFE}, fuzzing::text_of(input));
    const Answer answer = answer_of(input);
    (void)parse_trace(answer.data);
  });
}
