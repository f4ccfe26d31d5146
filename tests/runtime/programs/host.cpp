// The host of enclave.c or enclave.cpp: makes the ecall unarmed, traced, and stopped at each event of its path for so many
// times, then what only threads can bring about. host ROUNDS
#include "jcprof_plugin.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <thread>
#include <vector>

extern "C" {
int ecall_get(int n);
int ecall_more(int n);
void ecall_count(void);
int ocall_ask(int n);
void jcprof_enclave(unsigned verb, void* window);
}

namespace {

struct Memory {
  jcprof_window head;
  std::uint32_t ids[1000];
};
Memory memory;
std::function<void()> during_ocall;

void arm(std::uint32_t trap, std::uint64_t hit, std::uint64_t from = 0, std::uint64_t room = 0) {
  memory.head.trap = trap;
  memory.head.hit = hit;
  memory.head.from = from;
  memory.head.room = room;
  memory.head.build = ~0U;
  jcprof_enclave(JCPROF_PLUGIN_ARM, &memory.head);
}

void tell(const char* what, int result) {
  std::printf("%s: %d, trap %u, hit %u, last %u\n", what, result, memory.head.trap,
              static_cast<unsigned>(memory.head.hit), memory.head.last);
}

std::vector<std::uint32_t> trace(std::uint64_t from, std::uint64_t room) {
  arm(0, 0, from, room);
  const int result = ecall_get(2);
  const std::uint64_t behind = memory.head.events - from;
  std::vector<std::uint32_t> ids(memory.ids, memory.ids + (behind < room ? behind : room));
  std::printf("result %d, build %x, %u events, before %08x, all %08x, last %u:", result, memory.head.build,
              static_cast<unsigned>(memory.head.events), memory.head.before, memory.head.all, memory.head.last);
  for (const std::uint32_t id : ids) std::printf(" %u", id);
  std::printf("\n");
  return ids;
}

unsigned wrong_stops(const std::vector<std::uint32_t>& path, long rounds) {
  unsigned wrong = 0;
  for (long round = 0; round < rounds; round++) {
    for (std::size_t event = 0; event < path.size(); event++) {
      std::uint64_t hit = 0;
      for (std::size_t i = 0; i <= event; i++) hit += path[i] == path[event] ? 1 : 0;
      arm(path[event], hit);
      const int result = ecall_get(2);
      wrong += result != 0 || memory.head.trap != path[event] || memory.head.hit != hit ? 1 : 0;
    }
  }
  return wrong;
}

void never_entered() {
  arm(1, 1);
  ecall_count();
  tell("never entered", 0);
  arm(2, 1);
  tell("stopped after that", ecall_get(2));
}

void passes() {
  for (const unsigned verb : {JCPROF_PLUGIN_EMPTY, JCPROF_PLUGIN_UNARMED, JCPROF_PLUGIN_COUNTING, JCPROF_PLUGIN_RETURNED,
                              JCPROF_PLUGIN_STOP}) {
    arm(0, 0);
    memory.head.passes = 1000;
    jcprof_enclave(verb, &memory.head);
    std::printf("verb %u, build %x, trap %x, last %u\n", verb, memory.head.build, memory.head.trap, memory.head.last);
  }
}

void first_thread_is_armed() {
  arm(2, 1);
  std::thread([] { tell("on another thread", ecall_get(2)); }).join();
  tell("the next one", ecall_get(2));
}

/// While the armed thread is outside, another makes the same ecall.
void other_thread_is_not() {
  bool once = true;
  during_ocall = [&] {
    if (!once) return;
    once = false;
    std::thread([] { std::printf("meanwhile: %d\n", ecall_get(2)); }).join();
  };
  arm(4, 1, 0, 1000);
  tell("beside another thread", ecall_get(2));
  once = true;
  arm(7, 1);
  tell("beside another thread", ecall_get(2));
  during_ocall = nullptr;
}

/// A thread that the ecall of an earlier shot still runs on is armed no more.
void late_thread() {
  std::promise<void> outside;
  std::promise<void> back;
  bool once = true;
  const std::thread::id here = std::this_thread::get_id();
  during_ocall = [&] {
    if (!once || std::this_thread::get_id() == here) return;
    once = false;
    outside.set_value();
    back.get_future().wait();
  };
  arm(7, 1);
  std::thread late([] { std::printf("late: %d\n", ecall_get(2)); });
  outside.get_future().wait();
  arm(2, 1);
  tell("in the meantime", ecall_get(2));
  back.set_value();
  late.join();
  tell("after that", 0);
  during_ocall = nullptr;
}

}  // namespace

extern "C" int ocall_ask(int n) {
  if (during_ocall) during_ocall();
  ecall_count();
  return n == 0 ? 1 : ecall_more(n) + ecall_more(1);
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  std::printf("result %d\n", ecall_get(2));
  const std::vector<std::uint32_t> path = trace(0, 1000);
  trace(3, 2);
  std::printf("%u wrong stops\n", wrong_stops(path, std::atol(arguments[1])));
  arm(path[0], 1000);
  tell("not so often", ecall_get(2));
  memory.head.last = 99;
  tell("not armed", ecall_get(2));
  never_entered();
  passes();
  first_thread_is_armed();
  other_thread_is_not();
  late_thread();
  return 0;
}
