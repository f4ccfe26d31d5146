// SPDX-License-Identifier: Apache-2.0
#include "agents/teec/libteec.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/tee.h>
#include <sys/ioctl.h>
#include <tee_client_api.h>
#include <unistd.h>

#include "agents/teec/stopwatch.hpp"
#include "src/core/error.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof::teec {
namespace {

constexpr char device_file[] = "/dev/tee0";
// core/pta/device.c of OP-TEE: lists TAs, by its commands 0 to 2.
constexpr Uuid device_pta{0x70, 0x11, 0xa6, 0x88, 0xdd, 0xde, 0x40, 0x53,
                          0xa5, 0xa9, 0x7b, 0x3c, 0x4d, 0xdf, 0x13, 0xb8};
constexpr std::uint32_t unknown_command = 0x7FFFFFFF;

TEEC_UUID native(const Uuid& uuid) {
  TEEC_UUID to{};
  to.timeLow = static_cast<std::uint32_t>(uuid[0]) << 24U | static_cast<std::uint32_t>(uuid[1]) << 16U |
               static_cast<std::uint32_t>(uuid[2]) << 8U | uuid[3];
  to.timeMid = static_cast<std::uint16_t>(uuid[4] << 8U | uuid[5]);
  to.timeHiAndVersion = static_cast<std::uint16_t>(uuid[6] << 8U | uuid[7]);
  std::copy(uuid.begin() + 8, uuid.end(), to.clockSeqAndNode);
  return to;
}

/// Memory from the start of a page on: a reference costs the same wherever the heap has its bytes.
class Pages {
 public:
  Pages() = default;
  ~Pages() { std::free(memory_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  std::uint8_t* with_room(std::size_t size) {
    constexpr std::size_t page = 4096;
    const std::size_t wanted = std::max(page, (size + page - 1) / page * page);
    if (wanted <= size_) return memory_;
    std::free(memory_);
    memory_ = static_cast<std::uint8_t*>(std::aligned_alloc(page, wanted));
    if (memory_ == nullptr) throw std::bad_alloc();
    size_ = wanted;
    return memory_;
  }

 private:
  std::uint8_t* memory_ = nullptr;
  std::size_t size_ = 0;
};

/// What an ioctl takes: a head, and parameters behind it, none of which is used.
template <class Head>
class Argument {
 public:
  Argument() { head().num_params = params; }
  Head& head() { return *reinterpret_cast<Head*>(memory_.data()); }
  tee_ioctl_buf_data data() {
    return {.buf_ptr = reinterpret_cast<std::uintptr_t>(memory_.data()), .buf_len = memory_.size()};
  }

 private:
  static constexpr std::size_t params = 4;  // as many as libteec hands over
  alignas(Head) std::array<std::byte, sizeof(Head) + params * sizeof(tee_ioctl_param)> memory_{};
};

/// A session of the driver's own, with device.pta.
class RawSession {
 public:
  RawSession() : fd_(::open(device_file, O_RDWR | O_CLOEXEC)) {
    if (fd_.get() < 0) throw environment_error(fmt::format("{}: {}", device_file, std::strerror(errno)));
    Argument<tee_ioctl_open_session_arg> open;
    std::ranges::copy(device_pta, open.head().uuid);
    open.head().clnt_login = TEE_IOCTL_LOGIN_PUBLIC;
    tee_ioctl_buf_data data = open.data();
    if (::ioctl(fd_.get(), TEE_IOC_OPEN_SESSION, &data) != 0 || open.head().ret != 0)
      throw environment_error(fmt::format("no session with device.pta: 0x{:08x}", open.head().ret));
    invocation_.head().func = unknown_command;
    invocation_.head().session = open.head().session;
  }

  Ticks time_driver(Counts counts) {
    tee_ioctl_version_data version{};
    return time_of(counts, [&] { ::ioctl(fd_.get(), TEE_IOC_VERSION, &version); });
  }
  Ticks time_core(Counts counts) {
    tee_ioctl_buf_data data = invocation_.data();
    return time_of(counts, [&] { ::ioctl(fd_.get(), TEE_IOC_INVOKE, &data); });
  }

 private:
  UniqueFd fd_;
  Argument<tee_ioctl_invoke_arg> invocation_;
};

class LibTee : public Tee {
 public:
  LibTee(const Uuid& ta, Counts counts) : ta_(native(ta)), counts_(counts) {
    if (::access(device_file, F_OK) != 0)
      throw environment_error(fmt::format("there is no {}", device_file),
                              "does this system run OP-TEE, and is the driver there (modprobe optee)?");
    const TEEC_Result code = TEEC_InitializeContext(nullptr, &context_);
    if (code != TEEC_SUCCESS)
      throw environment_error(
          fmt::format("no TEE answers: {}", in_words({.code = code, .origin = Origin::api})),
          fmt::format("may this user open {}?", device_file));
  }
  ~LibTee() override {
    if (client_) TEEC_CloseSession(&*client_);
    TEEC_FinalizeContext(&context_);
  }
  LibTee(const LibTee&) = delete;
  LibTee& operator=(const LibTee&) = delete;

  Answer open(const Identity& as, Params& params) override {
    TEEC_Operation operation{};
    Answer answer = write(params, operation);
    if (answer.code != 0) return answer;
    std::uint32_t origin = 0;
    std::uint32_t group = as.group;
    const bool is_group = as.login == Login::group || as.login == Login::group_application;
    answer.code = TEEC_OpenSession(&context_, &session_, &ta_, static_cast<std::uint32_t>(as.login),
                                   is_group ? &group : nullptr, &operation, &origin);
    answer.origin = Origin{origin};
    read(operation, params);
    if (answer.code != 0) release();
    return answer;
  }

  void close() override {
    TEEC_CloseSession(&session_);
    release();
  }

  Answer invoke(std::uint32_t command, Params& params, Timing timing) override {
    TEEC_Operation operation{};
    Answer answer = write(params, operation);
    if (answer.code != 0) return answer;
    std::uint32_t origin = 0;
    const auto call = [&] { answer.code = TEEC_InvokeCommand(&session_, command, &operation, &origin); };
    if (timing == Timing::timed)
      answer.ticks = time_of(counts_, call);
    else
      call();
    answer.origin = Origin{origin};
    read(operation, params);
    return answer;
  }

  Ticks time(Rung rung) override {
    if (rung != Rung::clock && !raw_) raw_.emplace();
    switch (rung) {
      case Rung::clock:
        break;
      case Rung::driver:
        return raw_->time_driver(counts_);
      case Rung::core:
        return raw_->time_core(counts_);
      case Rung::client:
        return time_client();
    }
    return time_of(counts_, [] {});
  }

 private:
  Ticks time_client() {
    std::uint32_t origin = 0;
    if (!client_) {
      const TEEC_UUID uuid = native(device_pta);
      TEEC_Session session{};
      const TEEC_Result code =
          TEEC_OpenSession(&context_, &session, &uuid, TEEC_LOGIN_PUBLIC, nullptr, nullptr, &origin);
      if (code != TEEC_SUCCESS)
        throw environment_error("no session with device.pta: " +
                                in_words({.code = code, .origin = Origin{origin}}));
      client_ = session;
    }
    return time_of(counts_, [&] { TEEC_InvokeCommand(&*client_, unknown_command, nullptr, &origin); });
  }

  /// Bits 0 and 1 of a type are the direction; 4 on top of those is a temporary reference, 12 a part of a
  /// block.
  static std::uint32_t type_of(const Memory& memory) {
    const auto direction = static_cast<std::uint32_t>(memory.direction);
    if (memory.block == 0) return 4U + direction;
    return memory.whole == 0 ? TEEC_MEMREF_WHOLE : 12U + direction;
  }

  Answer write(const Params& params, TEEC_Operation& operation) {
    for (std::size_t i = 0; i < params.size(); ++i) {
      std::uint32_t type = TEEC_NONE;
      if (const auto* value = std::get_if<Value>(&params.at(i))) {
        type = static_cast<std::uint32_t>(value->direction);
        operation.params[i].value = {.a = value->a, .b = value->b};
      } else if (const auto* memory = std::get_if<Memory>(&params.at(i))) {
        const TEEC_Result code = write(*memory, pages_.at(i), operation.params[i]);
        if (code != TEEC_SUCCESS) return {.code = code, .origin = Origin::api};
        type = type_of(*memory);
      }
      operation.paramTypes |= type << (4 * i);
    }
    return {};
  }

  TEEC_Result write(const Memory& memory, Pages& pages, TEEC_Parameter& to) {
    void* buffer = nullptr;
    if (memory.is_null) {
      to.tmpref = {.buffer = nullptr, .size = memory.size};
      return TEEC_SUCCESS;
    }
    if (memory.block == 0) {
      buffer = pages.with_room(memory.bytes.size());
      to.tmpref = {.buffer = buffer, .size = memory.bytes.size()};
    } else {
      const auto [block, code] = block_for(memory);
      if (code != TEEC_SUCCESS) return code;
      buffer = static_cast<std::uint8_t*>(block->buffer) + memory.at;
      to.memref = {.parent = block, .size = memory.bytes.size(), .offset = memory.at};
    }
    std::ranges::copy(memory.bytes, static_cast<std::uint8_t*>(buffer));
    return TEEC_SUCCESS;
  }

  /// Allocated when it is first wanted, and anew where an input makes it another size.
  std::pair<TEEC_SharedMemory*, TEEC_Result> block_for(const Memory& memory) {
    TEEC_SharedMemory& block = blocks_[memory.block];
    const std::size_t size = memory.whole == 0 ? memory.bytes.size() : memory.whole;
    if (block.buffer != nullptr && block.size == size) return {&block, TEEC_SUCCESS};
    if (block.buffer != nullptr) TEEC_ReleaseSharedMemory(&block);
    block = {.size = size, .flags = static_cast<std::uint32_t>(memory.direction)};
    const TEEC_Result code = TEEC_AllocateSharedMemory(&context_, &block);
    if (code != TEEC_SUCCESS) blocks_.erase(memory.block);
    return {&block, code};
  }

  void read(const TEEC_Operation& operation, Params& params) {
    for (std::size_t i = 0; i < params.size(); ++i) {
      const TEEC_Parameter& from = operation.params[i];
      if (auto* value = std::get_if<Value>(&params.at(i))) {
        value->a = from.value.a;
        value->b = from.value.b;
      }
      auto* memory = std::get_if<Memory>(&params.at(i));
      if (memory == nullptr || memory->direction == Direction::in) continue;
      if (memory->is_null) {
        memory->size = static_cast<std::uint32_t>(from.tmpref.size);
        continue;
      }
      const bool is_shared = memory->block != 0;
      const std::size_t told = is_shared ? from.memref.size : from.tmpref.size;
      memory->bytes.resize(std::min(told, memory->bytes.size()));
      const void* buffer = is_shared ? from.memref.parent->buffer : from.tmpref.buffer;
      std::copy_n(static_cast<const std::uint8_t*>(buffer) + memory->at, memory->bytes.size(),
                  memory->bytes.begin());
    }
  }

  void release() {
    for (auto& [number, block] : blocks_) TEEC_ReleaseSharedMemory(&block);
    blocks_.clear();
  }

  TEEC_UUID ta_;
  Counts counts_;
  TEEC_Context context_{};
  TEEC_Session session_{};
  std::array<Pages, 4> pages_;
  std::map<std::uint32_t, TEEC_SharedMemory> blocks_;
  std::optional<TEEC_Session> client_;
  std::optional<RawSession> raw_;
};

}  // namespace

std::shared_ptr<Tee> make_tee(const Uuid& ta, Counts counts) {
  return std::make_shared<LibTee>(ta, counts);
}

}  // namespace jcprof::teec
