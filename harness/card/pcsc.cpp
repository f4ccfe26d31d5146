// SPDX-License-Identifier: Apache-2.0
#include "harness/card/pcsc.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <reader.h>
#include <sys/socket.h>
#include <winscard.h>

#include "harness/card/apdu.hpp"
#include "harness/clock.hpp"
#include "harness/watchdog.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof::harness {
namespace {

using std::chrono::milliseconds;

constexpr DWORD both_protocols = SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1;

/// Names as SCardListReaders gives them: each ends with a zero, the last one with two.
std::vector<std::string> split_names(std::string_view names) {
  std::vector<std::string> result;
  while (!names.empty() && names.front() != '\0') {
    const std::size_t end = std::min(names.find('\0'), names.size());
    result.emplace_back(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return result;
}

std::set<int> open_sockets() {
  std::set<int> sockets;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", gone)) {
    const int fd = std::stoi(entry.path().filename().string());
    int type = 0;
    socklen_t size = sizeof type;
    if (::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0) sockets.insert(fd);
  }
  return sockets;
}

/// A connection to the daemon. A call that hangs there ends once its socket is shut down: the library has no
/// other way (SCardCancel ends nothing but SCardGetStatusChange).
class DaemonConnection {
 public:
  DaemonConnection() {
    const std::set<int> before = open_sockets();
    state_ = SCardEstablishContext(SCARD_SCOPE_SYSTEM, nullptr, nullptr, &context_);
    if (state_ != SCARD_S_SUCCESS) return;
    const std::set<int> after = open_sockets();
    std::vector<int> fresh;
    std::ranges::set_difference(after, before, std::back_inserter(fresh));
    if (fresh.size() == 1) socket_ = fresh.front();
  }
  ~DaemonConnection() {
    if (state_ == SCARD_S_SUCCESS) SCardReleaseContext(context_);
  }
  DaemonConnection(const DaemonConnection&) = delete;
  DaemonConnection& operator=(const DaemonConnection&) = delete;

  LONG state() const { return state_; }
  SCARDCONTEXT context() const { return context_; }
  bool can_be_cut() const { return socket_ >= 0; }
  void cut() const {
    if (can_be_cut()) ::shutdown(socket_, SHUT_RDWR);
  }

  /// The state of a reader now; nothing where the daemon does not say.
  std::optional<SCARD_READERSTATE> look(const std::string& name) const {
    SCARD_READERSTATE reader{};
    reader.szReader = name.c_str();
    reader.dwCurrentState = SCARD_STATE_UNAWARE;  // makes it answer at once
    if (SCardGetStatusChange(context_, 0, &reader, 1) != SCARD_S_SUCCESS) return std::nullopt;
    return reader;
  }

  bool holds_card(const std::string& name) const {
    const std::optional<SCARD_READERSTATE> reader = look(name);
    return reader && (reader->dwEventState & SCARD_STATE_PRESENT) != 0;
  }

  /// Waits for a change of what look() saw.
  bool gets_card(SCARD_READERSTATE reader, milliseconds timeout) const {
    reader.dwCurrentState = reader.dwEventState;
    return SCardGetStatusChange(context_, static_cast<DWORD>(timeout.count()), &reader, 1) ==
               SCARD_S_SUCCESS &&
           (reader.dwEventState & SCARD_STATE_PRESENT) != 0;
  }

  LONG readers(std::vector<std::string>& names) const {
    DWORD size = 0;
    LONG state = SCardListReaders(context_, nullptr, nullptr, &size);
    if (state == SCARD_E_NO_READERS_AVAILABLE) return SCARD_S_SUCCESS;
    if (state != SCARD_S_SUCCESS) return state;
    std::string text(size, '\0');
    state = SCardListReaders(context_, nullptr, text.data(), &size);
    if (state == SCARD_S_SUCCESS) names = split_names(std::string_view(text).substr(0, size));
    return state == SCARD_E_NO_READERS_AVAILABLE ? SCARD_S_SUCCESS : state;
  }

 private:
  LONG state_ = SCARD_E_NO_SERVICE;
  SCARDCONTEXT context_ = 0;
  int socket_ = -1;
};

Absence no_daemon(LONG state) {
  return {
      .what = Missing::reader,
      .why = fmt::format(": no PC/SC daemon answers ({})", pcsc_stringify_error(state)),
      .hint =
          "start it: \"systemctl start pcscd.socket\", or \"pcscd\" as root; `jcprof doctor` looks at it"};
}

std::string hint_of(LONG state) {
  switch (state) {
    case SCARD_E_NO_SMARTCARD:
      return "insert the card; a virtual card must connect to the port of vpcd";
    case SCARD_E_SHARING_VIOLATION:
      return "close it: gpg's scdaemon (gpgconf --kill scdaemon), browsers and PKCS#11 modules often do";
    case SCARD_W_UNPOWERED_CARD:
    case SCARD_W_UNRESPONSIVE_CARD:
      return "is it the right way round? Try it with `opensc-tool --atr` or another reader";
    case SCARD_E_TIMEOUT:
      return "a command may hang in it: pull the card, end a virtual one, or restart pcscd";
    default:
      return "`jcprof doctor` looks at readers and cards";
  }
}

Absence absence(LONG state, const std::string& reader) {
  const std::string why = state == SCARD_E_NO_SMARTCARD ? fmt::format(": reader \"{}\" is empty", reader)
                          : state == SCARD_E_SHARING_VIOLATION
                              ? fmt::format(": another program holds the card in reader \"{}\"", reader)
                              : fmt::format(": reader \"{}\": {}", reader, pcsc_stringify_error(state));
  return {.why = why, .hint = hint_of(state)};
}

/// ", driver of ACS 1.8", as far as the reader says.
std::string driver_of(SCARDHANDLE card) {
  std::array<std::uint8_t, 256> text{};
  DWORD size = text.size();
  std::string driver;
  if (SCardGetAttrib(card, SCARD_ATTR_VENDOR_NAME, text.data(), &size) == SCARD_S_SUCCESS && size > 0)
    driver = fmt::format(
        ", driver of {}",
        std::string(text.begin(),
                    std::find(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size), 0)));
  std::array<std::uint8_t, 4> version{};
  size = version.size();
  if (SCardGetAttrib(card, SCARD_ATTR_VENDOR_IFD_VERSION, version.data(), &size) == SCARD_S_SUCCESS &&
      size == version.size())
    driver += fmt::format(" {}.{}", version[3], version[2]);
  return driver;
}

SlotState state_of(DWORD event) {
  if ((event & SCARD_STATE_PRESENT) == 0) return SlotState::empty;
  if ((event & SCARD_STATE_MUTE) != 0) return SlotState::mute;
  if ((event & SCARD_STATE_EXCLUSIVE) != 0) return SlotState::held;
  return (event & SCARD_STATE_INUSE) != 0 ? SlotState::shared : SlotState::card;
}

class PcscChannel final : public ApduChannel {
 public:
  explicit PcscChannel(const PcscOptions& options)
      : wanted_(options.reader), timeout_(options.timeout), watchdog_(options.timeout, [this] { cut(); }) {
    in_.resize(MAX_BUFFER_SIZE_EXTENDED);
  }
  ~PcscChannel() override { drop(SCARD_LEAVE_CARD); }

  std::optional<Absence> connect(milliseconds timeout) override {
    drop(SCARD_RESET_CARD);
    std::optional<Absence> absent = take_card(timeout);
    if (!absent) return std::nullopt;
    drop(SCARD_LEAVE_CARD);
    // SCardGetStatusChange waits; the others say at once what is missing.
    if (!waited_) cancellation().sleep_for(timeout);
    return absent;
  }

  Exchange exchange(std::span<const std::uint8_t> command) override {
    if (!card_) return {.why = "the card is not connected"};
    if (protocol_ == SCARD_PROTOCOL_T0) command = as_t0(command);
    DWORD size = in_.size();
    const SCARD_IO_REQUEST* const pci = protocol_ == SCARD_PROTOCOL_T0 ? SCARD_PCI_T0 : SCARD_PCI_T1;
    watchdog_.begin();
    const std::int64_t start = now_ns();
    const LONG state = SCardTransmit(*card_, pci, command.data(), command.size(), nullptr, in_.data(), &size);
    const std::int64_t stop = now_ns();
    if (watchdog_.end())
      return lose(ExchangeState::timed_out, fmt::format("no answer within {} ms", timeout_.count()));
    if (state != SCARD_S_SUCCESS) return lose(ExchangeState::lost, pcsc_stringify_error(state));
    // The daemon's answer for a card that died in the command.
    if (size < 2) return lose(ExchangeState::lost, fmt::format("the card sent an answer of {} bytes", size));
    return {ExchangeState::answered, {in_.data(), size}, start, stop, {}};
  }

  bool reset(ResetMode mode) override {
    if (mode == ResetMode::never) return card_.has_value();
    if (!card_) return false;
    const DWORD how = mode == ResetMode::warm ? SCARD_RESET_CARD : SCARD_UNPOWER_CARD;
    watchdog_.begin();
    LONG state = SCardReconnect(*card_, SCARD_SHARE_EXCLUSIVE, both_protocols, how, &protocol_);
    if (state == SCARD_S_SUCCESS) state = read_status();
    if (!watchdog_.end() && state == SCARD_S_SUCCESS) return true;
    drop(SCARD_LEAVE_CARD);
    return false;
  }

  ChannelDescription describe() const override {
    return {
        .transport = "pcsc",
        .agent = fmt::format("jcprof/{} pcsc-lite/{}{}", JCPROF_VERSION, PCSCLITE_VERSION_NUMBER, driver_),
        .reader = reader_,
        .protocol = protocol_ == SCARD_PROTOCOL_T0 ? "T=0" : "T=1",
        .atr = atr_,
        // vsmartcard's reader has no slot to put a card into.
        .simulated = reader_.starts_with("Virtual PCD")};
  }

  std::string port() const override { return ""; }

 private:
  // Called by the watchdog, while a call of ours waits for the daemon.
  void cut() {
    if (daemon_) daemon_->cut();
  }

  /// The card is left alone: where pcscd finds that it cannot reset what has gone, and a new virtual card is
  /// there before it looks again, the reader stays empty for ever.
  Exchange lose(ExchangeState state, std::string why) {
    hangs_ = state == ExchangeState::timed_out;
    drop(SCARD_LEAVE_CARD);
    return {.state = state, .why = std::move(why)};
  }

  /// A context that has seen a daemon die says that all is well, so that each contact begins with a new one.
  void drop(DWORD leave) {
    watchdog_.begin();
    if (card_) SCardDisconnect(*card_, leave);
    card_.reset();
    (void)watchdog_.end();
    daemon_.reset();
  }

  std::optional<Absence> take_card(milliseconds timeout) {
    waited_ = false;
    daemon_.emplace();
    if (daemon_->state() != SCARD_S_SUCCESS) return no_daemon(daemon_->state());
    if (!daemon_->can_be_cut())
      throw environment_error(
          "the connection to the PC/SC daemon cannot be watched: a call that hangs would hang jcprof",
          "is /proc there?");
    if (std::optional<Absence> absent = choose_reader()) return absent;
    const std::optional<SCARD_READERSTATE> seen = daemon_->look(reader_);
    if (!seen) return absence(SCARD_E_NO_SMARTCARD, reader_);
    if ((seen->dwEventState & SCARD_STATE_PRESENT) == 0) {
      waited_ = timeout.count() > 0;
      if (!waited_ || !daemon_->gets_card(*seen, timeout)) return absence(SCARD_E_NO_SMARTCARD, reader_);
    }
    watchdog_.begin();
    const LONG state = hold_card();
    const bool late = watchdog_.end();
    // The daemon keeps a card for us for as long as it waits for an answer of it.
    if (late || (hangs_ && state == SCARD_E_SHARING_VIOLATION))
      return Absence{.why = fmt::format(": reader \"{}\" does not answer", reader_),
                     .hint = hint_of(SCARD_E_TIMEOUT)};
    if (state != SCARD_S_SUCCESS) return absence(state, reader_);
    hangs_ = false;
    return std::nullopt;
  }

  LONG hold_card() {
    SCARDHANDLE card = 0;
    LONG state = SCardConnect(daemon_->context(), reader_.c_str(), SCARD_SHARE_EXCLUSIVE, both_protocols,
                              &card, &protocol_);
    if (state != SCARD_S_SUCCESS) return state;
    card_ = card;
    // With the card to ourselves it is there for the asking; it keeps drivers from powering an idle card
    // down.
    state = SCardBeginTransaction(card);
    if (state == SCARD_S_SUCCESS) state = read_status();
    if (state == SCARD_S_SUCCESS) driver_ = driver_of(card);
    return state;
  }

  /// Takes the only one with a card where several fit.
  std::optional<Absence> choose_reader() {
    std::vector<std::string> readers;
    const LONG state = daemon_->readers(readers);
    if (state != SCARD_S_SUCCESS) return no_daemon(state);
    std::vector<std::string> named = readers_named(wanted_, readers);
    if (named.empty())
      return Absence{.what = Missing::reader,
                     .why = wanted_.empty() ? ": there is no reader"
                                            : fmt::format(": there is no reader \"{}\"", wanted_),
                     .hint = readers.empty() ? "plug one in; `jcprof doctor` shows what the daemon sees"
                                             : fmt::format("there is \"{}\"", fmt::join(readers, "\", \""))};
    if (named.size() > 1)
      std::erase_if(named, [&](const std::string& name) { return !daemon_->holds_card(name); });
    if (named.empty())
      return Absence{.why = ": no reader holds a card", .hint = hint_of(SCARD_E_NO_SMARTCARD)};
    if (named.size() > 1)
      throw UserError(Fault{.message = fmt::format("{} readers hold a card", named.size()),
                            .hint = fmt::format("name one: \"pcsc:{}\"", fmt::join(named, "\", \"pcsc:"))});
    reader_ = named.front();
    return std::nullopt;
  }

  LONG read_status() {
    std::array<std::uint8_t, MAX_ATR_SIZE> atr{};
    DWORD atr_size = atr.size();
    DWORD name_size = 0;
    DWORD card_state = 0;
    const LONG state =
        SCardStatus(*card_, nullptr, &name_size, &card_state, &protocol_, atr.data(), &atr_size);
    if (state == SCARD_S_SUCCESS)
      atr_.assign(atr.begin(), atr.begin() + static_cast<std::ptrdiff_t>(atr_size));
    return state;
  }

  std::span<const std::uint8_t> as_t0(std::span<const std::uint8_t> command) {
    tpdu_ = to_tpdu(command);
    if (tpdu_.empty())
      throw UserError(Fault{.message = "the card speaks T=0, which has no extended commands",
                            .hint = "send at most 255 bytes at a time, or use a card or a reader with T=1"});
    return tpdu_;
  }

  std::string wanted_;
  milliseconds timeout_;
  std::optional<DaemonConnection> daemon_;
  std::optional<SCARDHANDLE> card_;
  DWORD protocol_ = SCARD_PROTOCOL_UNDEFINED;
  std::string reader_ = wanted_;  // its whole name once it was found
  std::string driver_;
  Bytes atr_;
  Bytes in_;
  Bytes tpdu_;
  bool waited_ = false;  // the last connect() has
  bool hangs_ = false;   // a command timed out, and nothing was answered since
  Watchdog watchdog_;    // last: it cuts the daemon's connection
};

}  // namespace

std::vector<std::string> readers_named(const std::string& wanted, const std::vector<std::string>& readers) {
  const auto those = [&](const auto& fits) {
    std::vector<std::string> result;
    std::ranges::copy_if(readers, std::back_inserter(result), fits);
    return result;
  };
  std::vector<std::string> found = those([&](const std::string& reader) { return reader == wanted; });
  if (found.empty()) found = those([&](const std::string& reader) { return glob_matches(wanted, reader); });
  if (found.empty())
    found = those([&](const std::string& reader) { return reader.find(wanted) != std::string::npos; });
  return found;
}

std::optional<std::vector<Slot>> pcsc_slots() {
  const DaemonConnection daemon;
  std::vector<std::string> readers;
  if (daemon.state() != SCARD_S_SUCCESS || daemon.readers(readers) != SCARD_S_SUCCESS) return std::nullopt;
  std::vector<Slot> slots;
  for (const std::string& name : readers) {
    Slot& slot = slots.emplace_back(Slot{.reader = name, .state = SlotState::empty, .atr = {}});
    const std::optional<SCARD_READERSTATE> reader = daemon.look(name);
    if (!reader) continue;  // pulled just now
    slot.state = state_of(reader->dwEventState);
    const auto* const atr = static_cast<const unsigned char*>(reader->rgbAtr);
    slot.atr.assign(atr, atr + std::min<std::size_t>(reader->cbAtr, sizeof reader->rgbAtr));
  }
  return slots;
}

std::unique_ptr<ApduChannel> make_pcsc_channel(const PcscOptions& options) {
  return std::make_unique<PcscChannel>(options);
}

}  // namespace jcprof::harness
