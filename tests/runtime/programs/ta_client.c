/* Plays the client and OP-TEE for ta.c, and says what came of it. Its argument: how many times it stops at each event. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tee_internal_api.h"

enum { our_command = 0x6A630001, our_types = 0x17, room = 64, panic_verb = 5, no_verb = 10 };

/* docs/c.md, "Environment". */
struct window {
  char magic[8];
  uint32_t build, trap;
  uint64_t hit, from, room, events;
  uint32_t before, all;
  uint64_t passes, zero;
  uint32_t ids[room];
};
static const size_t head_size = offsetof(struct window, ids);

static char sessions[2];
static struct window window;

static TEE_Result ours(int session, uint32_t types, uint32_t verb, uint32_t first, void *memory, size_t size) {
  TEE_Param params[4] = {{{memory, size}}, {{0}}, {{0}}, {{0}}};
  params[1].value.a = verb;
  params[1].value.b = first;
  return TA_InvokeCommandEntryPoint(&sessions[session], our_command, types, params);
}

static void tell(int session, uint32_t verb) {
  const TEE_Result result = ours(session, our_types, verb, 0, &window, sizeof window);
  if (result != 0) printf("verb %u: %08x\n", verb, result);
}

static void arm(int session, uint32_t trap, uint64_t hit) {
  memset(&window, 0, sizeof window);
  window.trap = trap;
  window.hit = hit;
  tell(session, 0);
}

static void arm_trace(int session, uint64_t from, uint64_t events) {
  memset(&window, 0, sizeof window);
  window.from = from;
  window.room = events;
  tell(session, 0);
}

static TEE_Result theirs(int session, uint32_t command, uint32_t value) {
  TEE_Param params[4] = {{{NULL, 0}}, {{NULL, 0}}, {{NULL, 0}}, {{NULL, 0}}};
  params[0].value.a = value;
  return TA_InvokeCommandEntryPoint(&sessions[session], command, 0x1, params);
}

static void show(const char *what, TEE_Result result) {
  memset(&window, 0, sizeof window);
  tell(0, 4);
  printf("%s: result %u, build %08x, trap %u, hit %llu\n", what, result, window.build, window.trap,
         (unsigned long long)window.hit);
}

static void show_trace(const char *what, uint32_t first) {
  uint64_t i, count;
  memset(&window, 0, sizeof window);
  ours(0, our_types, 4, first, &window, sizeof window);
  printf("%s: %llu events, room %llu, before %08x, all %08x:", what, (unsigned long long)window.events,
         (unsigned long long)window.room, window.before, window.all);
  count = window.events - window.from < window.room ? window.events - window.from : window.room;
  for (i = first; i < count && i - first < room; i++) printf(" %u", window.ids[i - first]);
  printf("\n");
}

static void stop_everywhere(unsigned rounds) {
  static struct window whole;
  unsigned round, wrong = 0;
  uint64_t event;
  arm_trace(0, 0, room);
  theirs(0, 3, 1);
  tell(0, 4);
  whole = window;
  for (round = 0; round < rounds; round++)
    for (event = 0; event < whole.events; event++) {
      uint64_t hit = 0, earlier;
      for (earlier = 0; earlier <= event; earlier++) hit += whole.ids[earlier] == whole.ids[event];
      arm(0, whole.ids[event], hit);
      wrong += theirs(0, 3, 1) != 0;
      tell(0, 4);
      wrong += window.trap != whole.ids[event] || window.hit != hit;
    }
  printf("%u wrong stops\n", wrong);
}

static void show_refusals(void) {
  const uint32_t swapped = 0x71, output = 0x16;
  printf("refused: %08x %08x %08x %08x", ours(0, swapped, 0, 0, &window, sizeof window),
         ours(0, output, 0, 0, &window, sizeof window), ours(0, our_types, 0, 0, &window, head_size - 1),
         ours(0, our_types, no_verb, 0, &window, sizeof window));
  memset(&window, 0, sizeof window);
  printf(" and taken: %08x\n", ours(0, our_types, 0, 0, &window, head_size));
}

static void show_sessions(void) {
  arm(0, 20, 2);
  printf("of another session: result %u\n", theirs(1, 3, 1));
  show("of the session that armed", theirs(0, 3, 1));
  show("once", theirs(0, 3, 1));
}

/* At an odd place, and a few ids only. */
static void show_small_windows(void) {
  static char memory[sizeof(struct window) + 1];
  static struct window copy;
  arm_trace(0, 2, 4);
  theirs(0, 3, 1);
  show_trace("a window", 0);
  show_trace("its end", 3);
  show_trace("behind it", 9);
  ours(0, our_types, 4, 1, memory + 1, head_size + 2 * sizeof(uint32_t) + 3);
  memcpy(&copy, memory + 1, sizeof copy);
  printf("as many as fit: %u %u %u\n", copy.ids[0], copy.ids[1], copy.ids[2]);
  arm_trace(0, 0, 1u << 30);
  theirs(0, 3, 1);
  tell(0, 4);
  printf("room for %llu\n", (unsigned long long)window.room);
}

static void show_calibration(void) {
  uint32_t verb;
  for (verb = 1; verb <= 9; verb = verb == 3 ? 8 : verb + 1) {
    memset(&window, 0, sizeof window);
    window.passes = 1000;
    tell(0, verb);
    printf("verb %u: build %08x, %u stops\n", verb, window.build, (unsigned)window.passes);
  }
  printf("unarmed after that: result %u\n", theirs(0, 3, 1));
}

static void show_panic(void) {
  int status = 0;
  fflush(stdout);
  if (fork() == 0) {
    signal(SIGILL, SIG_DFL);
    tell(0, panic_verb);
    _exit(0);
  }
  wait(&status);
  printf("panic: %s\n", WIFSIGNALED(status) ? "it died" : "it went on");
}

int main(int argc, char **argv) {
  const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  printf("result %u %u %u\n", theirs(0, 3, 1), theirs(0, 1, 0), theirs(0, 1, 200));
  arm(0, 0, 1);
  show("to its end", theirs(0, 3, 1));
  arm(0, 70000, 2);
  show("stopped", theirs(0, 3, 1));
  arm(0, 21, 2);
  show("in a command within a command", theirs(0, 2, 1));
  arm(0, 20, 4);
  show("not so often", theirs(0, 3, 1));
  arm_trace(0, 0, room);
  printf("result %u\n", theirs(0, 2, 1));
  show_trace("all", 0);
  show_refusals();
  show_sessions();
  show_small_windows();
  show_calibration();
  stop_everywhere(rounds);
  show_panic();
  return 0;
}
