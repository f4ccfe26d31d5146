// SPDX-License-Identifier: Apache-2.0
#include "agents/ecall/enclave_child.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <optional>
#include <span>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agents/known.hpp"
#include "agents/monotonic.hpp"
#include "src/core/error.hpp"
#include "src/core/unique_fd.hpp"
#include "templates/jcprof_log.h"

namespace jcprof::ecall {
namespace {

using agents::Came;
using agents::monotonic_ns;
using agents::Task;

// News less often than that costs the next ecall nothing, neither a system call before it nor a reader awake
// beside it.
constexpr std::int64_t between_bells_ns = 1'000'000;

/// Null where it cannot be mapped. For as long as the process lives.
jcprof_log_head* mapped_log(const std::filesystem::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  const std::size_t size = size_of_file(fd.get());
  if (size < JCPROF_LOG_HEAD_BYTES) return nullptr;
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd.get(), 0);
  return memory == MAP_FAILED ? nullptr : static_cast<jcprof_log_head*>(memory);
}

class Child {
 public:
  Child(Exchange& exchange, const ChildSettings& settings, int results)
      : exchange_(exchange), settings_(settings), results_(results) {}

  void work_off() {
    const std::uint32_t count = std::min<std::uint32_t>(exchange_.count, most_orders);
    replied_ = 0;
    rung_ = monotonic_ns();
    for (std::uint32_t i = 0; i < count; ++i) {
      const Order& order = exchange_.orders[i];
      Result result;
      carry_out(order, result);
      exchange_.results[i] = result;
      exchange_.done.store(i + 1, std::memory_order_release);
      if (!agents::is_as_expected(order, result) || replies_room - replied_ < reply_room) break;
      if (i + 1 < count && monotonic_ns() - rung_ >= between_bells_ns) ring();
    }
    exchange_.finished.store(exchange_.list, std::memory_order_release);
    ring();
  }

 private:
  void ring() {
    rung_ = monotonic_ns();
    // Where the pipe is full there is news enough in it.
    static_cast<void>(!::write(results_, "", 1));
  }

  void carry_out(const Order& order, Result& result) {
    switch (order.task) {
      case Task::load:
        return load(result);
      case Task::call:
        return call(order, result);
      case Task::calibrate:
        return calibrate(order, result);
    }
  }

  void fail(Result& result, Came came, std::string_view why, std::string_view hint = {}) {
    result.came = came;
    put_text(why, exchange_.why);
    put_text(hint, exchange_.hint);
  }

  /// Whether the bridge did what `code` is of.
  bool succeeds(int code, Result& result, Came otherwise) {
    result.came = code == 0 ? Came::back : otherwise;
    if (code != 0) fail(result, otherwise, bridge_->why(code));
    return code == 0;
  }

  /// `fault` is what our ecall has said of the enclave's thread-local storage.
  bool has_own_storage(std::uint32_t fault, Result& result) {
    if (fault == 0) return true;
    fail(result, Came::refused,
         "the thread-local storage of the enclave's code is the host's, as the SDK's simulation leaves the "
         "base of %fs "
         "as it is",
         "compile the trusted sources with -mno-tls-direct-seg-refs (docs/sgx.md)");
    return false;
  }

  void load(Result& result) {
    try {
      if (!bridge_) bridge_.emplace(settings_.bridge);
    } catch (const UserError& error) {
      return fail(result, Came::refused, error.faults().front().message, error.faults().front().hint);
    }
    if (is_loaded_) bridge_->functions().unload();
    is_loaded_ = succeeds(bridge_->functions().load(), result, Came::failed);
    if (is_loaded_ && !settings_.log.empty()) hand_over_log(result);
    if (is_loaded_ && settings_.build != 0) compare_build(result);
    exchange_.flags = bridge_->functions().flags;
    put_text(bridge_->note(), exchange_.note);
    const char* device = bridge_->functions().device;
    put_text(device != nullptr ? device : "", exchange_.device);
  }

  /// Nothing is recorded until a call is to be.
  void hand_over_log(Result& result) {
    log_ = mapped_log(settings_.log);
    if (log_ == nullptr)
      return fail(result, Came::refused, fmt::format("cannot map the log \"{}\"", settings_.log.string()));
    log_->off = JCPROF_LOG_OFF_OUTSIDE;
    is_loaded_ =
        succeeds(bridge_->functions().control(JCPROF_PLUGIN_RECORD, reinterpret_cast<jcprof_window*>(log_)),
                 result, Came::refused) &&
        has_own_storage(log_->misplaced, result);
  }

  /// Arming tells the build. 0: the bridge is one by hand that does not.
  void compare_build(Result& result) {
    arm({});
    if (!succeeds(bridge_->functions().control(JCPROF_PLUGIN_ARM, window()), result, Came::refused)) return;
    const std::uint32_t build = window()->build;
    if (build == 0 || build == settings_.build) return;
    fail(result, Came::refused,
         fmt::format("the enclave is build {:08x}, traps.json is of build {:08x}", build, settings_.build),
         "build what jcprof-gen wrote last: \"jcprof profile\" does all of it");
  }

  void call(const Order& order, Result& result) {
    const jcprof_bridge& bridge = bridge_->functions();
    const std::uint8_t* input = exchange_.inputs.data() + order.input;
    if (!succeeds(bridge.prepare(bridge_->ecall(), input, order.input_size), result, Came::refused)) return;
    const std::int64_t awake = monotonic_ns() + order.delay_ns;
    while (monotonic_ns() < awake) {
    }
    arm(order);
    if (!succeeds(bridge.control(JCPROF_PLUGIN_ARM, window()), result, Came::refused) ||
        !has_own_storage(window()->fault, result))
      return;
    // A pause of the enclave's own goes on.
    if (order.is_recorded && log_ != nullptr) std::atomic_ref(log_->off) &= ~JCPROF_LOG_OFF_OUTSIDE;
    const Timed time = timed(settings_.clock, bridge.call);
    if (log_ != nullptr) std::atomic_ref(log_->off) |= JCPROF_LOG_OFF_OUTSIDE;
    result.ticks = time.ticks;
    if (!succeeds(time.code, result, Came::failed)) return;
    result.trap = window()->trap;
    result.hit = window()->hit;
    if (result.trap == 0) take_reply(result);
  }

  void take_reply(Result& result) {
    std::uint8_t* bytes = exchange_.replies.data() + replied_;
    const std::size_t size = bridge_->functions().reply(bytes, reply_room, &result.status);
    result.reply = static_cast<std::uint32_t>(replied_);
    result.reply_size = static_cast<std::uint32_t>(std::min(size, reply_room));
    result.answer = agents::answer_digest(result.status, size, std::span(bytes, result.reply_size));
    replied_ += result.reply_size;
  }

  void calibrate(const Order& order, Result& result) {
    arm(order);
    window()->passes = order.passes;
    const auto loop = [&] {
      return bridge_->functions().control(static_cast<std::uint32_t>(order.kind), window());
    };
    const Timed time = timed(settings_.clock, loop);
    result.ticks = time.ticks;
    if (!succeeds(time.code, result, Came::refused) || !has_own_storage(window()->fault, result)) return;
    if (order.kind == agents::Passes::stop && order.passes > 0 && window()->trap == 0)
      fail(result, Came::refused, "the enclave does not stop to be calibrated");
  }

  void arm(const Order& order) {
    *window() = {.magic = {'J', 'C', 'P', 'R', 'O', 'F', '1', '\n'},
                 .trap = order.trap,
                 .hit = order.hit,
                 .from = order.from,
                 .room = std::min(order.room, window_room)};
  }

  jcprof_window* window() { return &exchange_.window.head; }

  Exchange& exchange_;
  const ChildSettings& settings_;
  int results_;
  std::optional<Bridge> bridge_;
  bool is_loaded_ = false;
  jcprof_log_head* log_ = nullptr;
  std::size_t replied_ = 0;  // bytes of the list's replies
  std::int64_t rung_ = 0;
};

}  // namespace

void serve_orders(Exchange& exchange, const ChildSettings& settings, int orders, int results) {
  Child child(exchange, settings, results);
  char byte = 0;
  while (true) {
    const ssize_t size = ::read(orders, &byte, 1);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return;
    child.work_off();
  }
}

}  // namespace jcprof::ecall
