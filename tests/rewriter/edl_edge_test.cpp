// SPDX-License-Identifier: Apache-2.0
// The untrusted side that is made of an EDL: it compiles without a warning, and as a host build it brings an
// input's bytes to the ecall and the reply back.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <catch2/catch.hpp>

#include "rewriter/draft/project_draft.hpp"
#include "rewriter/edl/edge.hpp"
#include "rewriter/edl/edit.hpp"
#include "rewriter/edl/files.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "src/core/project.hpp"
#include "templates/jcprof_plugin.h"
#include "tests/core/fault_text.hpp"
#include "tests/core/temporary_folder.hpp"

namespace fs = std::filesystem;

namespace jcprof::rewriter {
namespace {

using Strings = std::vector<std::string>;

const fs::path here = fs::path(JCPROF_SOURCE_DIR) / "tests/rewriter";

const Strings strict{
    "-Werror",       "-Wall",        "-Wextra",          "-Wconversion",          "-Wsign-conversion",
    "-Wshadow",      "-Wcast-qual",  "-Wundef",          "-Wredundant-decls",     "-Wpointer-arith",
    "-Wfloat-equal", "-Wcast-align", "-Wformat",         "-Wformat-security",     "-Winit-self",
    "-Wreturn-type", "-Waddress",    "-Wsequence-point", "-Wmissing-declarations"};
const Strings strict_c{"-Wstrict-prototypes", "-Wmissing-prototypes", "-Wjump-misses-init"};

EdlEdit edited(const std::string& feature) {
  return edit_edl(read_edl({.root = here / "edl" / feature}, "enclave.edl"), {});
}

Strings public_ecalls(const EdlEdit& edit) {
  Strings names;
  for (const EdlFunction& function : edit.edl.ecalls)
    if (function.is_public && function.name != edit.function) names.push_back(function.name);
  return names;
}

void run(const fs::path& folder, const Strings& argv) {
  const ProcessResult result =
      run_and_wait({.argv = argv, .cwd = folder}, {.file = folder / "log"}, std::chrono::minutes{2});
  INFO(fmt::format("{}\n{}", fmt::join(argv, " "), read_file(folder / "log")));
  REQUIRE(result.exit_status == 0);
  REQUIRE(read_file(folder / "log").empty());
}

/// An edge/ folder, with the test's trusted and untrusted functions.
class Edge {
 public:
  explicit Edge(const std::string& feature) {
    const EdlEdit edit = edited(feature);
    for (const EdgeFile& file : host_files(edit)) write_file(folder_ / file.path, file.text);
    const EdgeFile bridge = bridge_file(edit, public_ecalls(edit));
    write_file(folder_ / bridge.path, bridge.text);
    fs::copy_file(fs::path(JCPROF_SOURCE_DIR) / "templates/jcprof_plugin.h", folder_ / "jcprof_plugin.h");
  }

  const fs::path& path() const { return folder_.path(); }

  void compile(const Strings& how, const Strings& what) const {
    Strings argv = how;
    argv.insert(argv.end(), strict.begin(), strict.end());
    argv.insert(argv.end(), {"-fPIC", "-Ihost", "-I.", "-I" + (here / "edge").string()});
    argv.insert(argv.end(), what.begin(), what.end());
    run(path(), argv);
  }

  void build() const {
    const std::string folder = (here / "edge").string();
    compile({"gcc", "-O1", "-shared"}, {folder + "/trusted.c", "host/enclave_t.c", "-o", "enclave.so"});
    compile({"gcc", "-O1", "-shared"},
            {folder + "/untrusted.c", "bridge.c", "host/enclave_u.c", "-o", "bridge.so", "-ldl"});
  }

  /// NAME.c of the folder, in C; g++ takes the headers too.
  void run_program(const std::string& name, const Strings& headers) const {
    const Strings both{"-Wall", "-Wextra", "-Werror", "-Ihost"};
    Strings c{"gcc", "-std=c11", "-UNDEBUG", name + ".c", "-o", name};
    Strings cpp{"g++", "-std=c++11", "-fsyntax-only"};
    for (Strings* argv : {&c, &cpp}) argv->insert(argv->end(), both.begin(), both.end());
    cpp.insert(cpp.end(), headers.begin(), headers.end());
    run(path(), c);
    run(path(), {"./" + name});
    run(path(), cpp);
  }

 private:
  test::TemporaryFolder folder_;
};

struct CloseLibrary {
  void operator()(void* library) const { ::dlclose(library); }
};

/// A bridge, loaded as the agent does it.
class Bridge {
 public:
  explicit Bridge(const fs::path& file) : library_(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    INFO((library_ ? "" : ::dlerror()));
    REQUIRE(library_);
    bridge_ = reinterpret_cast<decltype(&jcprof_plugin)>(::dlsym(library_.get(), "jcprof_plugin"))();
    REQUIRE(bridge_->load() == 0);
  }
  ~Bridge() { bridge_->unload(); }
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;

  const struct jcprof_bridge* operator->() const { return bridge_; }

  std::string told() const { return static_cast<const char*>(::dlsym(library_.get(), "told")); }

  /// "status reply" of an ecall, "!" and why where it was not made.
  std::string make(const std::string& name, const std::string& input) const {
    std::uint32_t index = 0;
    while (name != bridge_->ecalls[index]) ++index;
    const auto* const bytes = reinterpret_cast<const unsigned char*>(input.data());
    if (const int code = bridge_->prepare(index, bytes, input.size()); code != 0)
      return fmt::format("! {}", bridge_->why(code));
    if (const int code = bridge_->call(); code != 0) return fmt::format("! {}", bridge_->why(code));
    std::string reply(100, '?');
    std::uint32_t status = 0;
    const std::size_t size =
        bridge_->reply(reinterpret_cast<unsigned char*>(reply.data()), reply.size(), &status);
    return fmt::format("{} {}", status, reply.substr(0, size));
  }

 private:
  std::unique_ptr<void, CloseLibrary> library_;
  const struct jcprof_bridge* bridge_ = nullptr;
};

template <class T>
std::string bytes_of(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

TEST_CASE("the edge of an EDL is rewritten as approved") {
  const EdlEdit edit = edited("edge");
  std::vector<EdgeFile> files = host_files(edit);
  files.push_back(bridge_file(edit, public_ecalls(edit)));
  std::string text;
  for (const EdgeFile& file : files)
    if (file.path.find("sgx_") == std::string::npos && !file.path.starts_with("host/jcprof_sdk"))
      text += fmt::format("==== {}\n{}", file.path, file.text);
  const fs::path approved = here / "approved/edge.txt";
  if (std::getenv("JCPROF_APPROVE") != nullptr) write_file(approved, text);
  CHECK(text == read_file(approved));
}

TEST_CASE("what is made of an EDL compiles without a warning, as C and as C++") {
  const Edge edge("edge");
  for (const std::string c : {"gcc", "clang-19"})
    for (const std::string file : {"bridge.c", "host/enclave_t.c", "host/enclave_u.c"}) {
      for (const std::string standard : {"-std=c99", "-std=gnu11", "-std=c17"}) {
        Strings how{c, "-O2", standard, "-c"};
        how.insert(how.end(), strict_c.begin(), c == "gcc" ? strict_c.end() : strict_c.end() - 1);
        edge.compile(how, {file, "-o", "part.o"});
      }
      edge.compile({c, "-O2", "-x", "c++", "-std=c++11", "-c"}, {file, "-o", "part.o"});
    }
}

TEST_CASE("parameters that a bridge leaves null are named, to the user and in profiles") {
  const EdlEdit edit = edited("edge");
  const std::string why = ", because the bridge has no input for that: the ecall may take its error path";
  const std::string yours = "ecall_yours gets null for host, wide, texts, handle, table" + why;
  const std::string deep = "ecall_deep gets null for deep, told" + why;
  CHECK(bridge_notes(edit, public_ecalls(edit)) == Strings{yours, deep});
  const Edge edge("edge");
  edge.build();
  const Bridge bridge(edge.path() / "bridge.so");
  CHECK((bridge->flags & JCPROF_PLUGIN_NOTES) != 0);
  std::map<std::string, std::string> notes;
  for (std::size_t i = 0; bridge->ecalls[i] != nullptr; ++i)
    if (*bridge->notes[i] != 0) notes[bridge->ecalls[i]] = bridge->notes[i];
  CHECK(notes == std::map<std::string, std::string>{{"ecall_yours", yours}, {"ecall_deep", deep}});
}

TEST_CASE("a bridge brings an input's bytes to the ecall, and back what it answers") {
  const Edge edge("edge");
  edge.build();
  const Bridge bridge(edge.path() / "bridge.so");
  CHECK(std::string(bridge->device) == "host build, no enclave");
  const std::string pair = bytes_of<std::uint32_t>(9) + "\1\2\3\4";
  const std::string values = bytes_of<char>(-3) + bytes_of<unsigned short>(500) + bytes_of<std::uint64_t>(1) +
                             bytes_of(2.5) + pair + bytes_of<int>(2);
  CHECK(bridge.make("ecall_values", values) == "4294967291 ");
  CHECK(bridge.told() == "-3 500 1 2.50 9:4 2");
  CHECK(bridge.make("ecall_hash", "ab" + bytes_of<std::uint32_t>(1)) ==
        fmt::format("{} ", (31 + 97) * 31 + 98));
  CHECK(bridge.make("ecall_copy", "abcd") == "7 abcd");
  CHECK(bridge.make("ecall_copy", "abc") == std::string("7 abc\0", 6));
  CHECK(bridge.make("ecall_two", "\3abcdefgh") == "0 ");
  CHECK(bridge.told() == "abc|defgh");
  CHECK(bridge.make("ecall_same", bytes_of<std::size_t>(2) + "abab") == "21 ");
  CHECK(bridge.make("ecall_same", bytes_of<std::size_t>(2) + "abac") == "20 ");
  std::string numbers;
  for (const std::int32_t number : {30, 1, 1, 35}) numbers += bytes_of(number);
  CHECK(bridge.make("ecall_arrays", numbers + "yz") == "0 abcAz");
  CHECK(bridge.make("ecall_text", std::string("name\0text", 9)) == "0 Xext");
  CHECK(bridge.told() == "name");
  CHECK(bridge.make("ecall_fixed", pair + pair + pair + bytes_of<std::uint32_t>(38)) ==
        "0 " + bytes_of<std::uint32_t>(65));
  CHECK(bridge.make("ecall_yours", "\7") == "0 ");
  CHECK(bridge.told() == "1 1 1 1 0 7");
  CHECK(bridge.make("ecall_room", bytes_of(3) + bytes_of(2)) == "0 rrrrrr");
  CHECK(bridge.make("ecall_seal", bytes_of<std::size_t>(3) + "abclabel") == "0 ");
  CHECK(bridge.told() == "abc|label");
  CHECK(bridge.make("ecall_tail", "abcyz") == "0 ");
  CHECK(bridge.told() == "3 a yz");
  // As many as a size of 8 bits can say, and what is behind them is what comes next.
  CHECK(bridge.make("ecall_tail", std::string(258, 'b') + "yz") == "0 ");
  CHECK(bridge.told() == "255 b bb");
  CHECK(bridge.make("ecall_deep", "\7") == "0 ");
  CHECK(bridge.told() == "1 1 7");
}

TEST_CASE("an input that is too short is filled with zeros, and one that asks for too much is refused") {
  const Edge edge("edge");
  edge.build();
  const Bridge bridge(edge.path() / "bridge.so");
  CHECK(bridge.make("ecall_values", "\5") == "4294967291 ");
  CHECK(bridge.told() == "5 0 0 0.00 0:0 0");
  CHECK(bridge.make("ecall_text", "") == "0 ");
  CHECK(bridge.told().empty());
  CHECK(bridge.make("ecall_hash", "") == "0 ");
  CHECK(bridge.make("ecall_same", "\xff\xff\xff\xff\xff\xff\xff\xff") ==
        "! the input asks for more memory than there is");
  CHECK(bridge.make("ecall_room", bytes_of(-1) + bytes_of(-1)) ==
        "! the input asks for more memory than there is");
}

TEST_CASE("a host build calls out of the enclave, from there into it, and our own ecall") {
  const Edge edge("edge");
  edge.build();
  const Bridge bridge(edge.path() / "bridge.so");
  CHECK(bridge.make("ecall_time", "") == "0 ");
  CHECK(bridge.told() == "600 one");
  jcprof_window window{};
  CHECK(bridge->control(JCPROF_PLUGIN_COUNTING, &window) == 0);
  CHECK(std::memcmp(&window, "\x2b\0\0\0", 4) == 0);
}

TEST_CASE("an enclave that is not there is named with its path, and codes of loading with their cause") {
  const Edge edge("edge");
  edge.build();
  fs::remove(edge.path() / "enclave.so");
  const std::unique_ptr<void, CloseLibrary> library(
      ::dlopen((edge.path() / "bridge.so").c_str(), RTLD_NOW | RTLD_LOCAL));
  const auto* const bridge =
      reinterpret_cast<decltype(&jcprof_plugin)>(::dlsym(library.get(), "jcprof_plugin"))();
  CHECK(std::string(bridge->why(bridge->load())) == "cannot read the enclave's file \"" +
                                                        (edge.path() / "enclave.so").string() +
                                                        "\": No such file or directory");
  CHECK_THAT(bridge->why(0x4001), Catch::Contains("(0x4001): no AESM service answers: start aesmd"));
  CHECK_THAT(bridge->why(0x2003), Catch::Contains("(0x2003): sign enclave.so by sgx_sign"));
  CHECK_THAT(bridge->why(0x200e), Catch::Contains("SGX_MODE"));
  CHECK(std::string(bridge->why(0x4002)) == "sgx_status_t 0x4002");
}

TEST_CASE("a host build of another EDL is refused by name") {
  const Edge edge("edge");
  const Edge other("types");
  edge.build();
  other.compile({"gcc", "-shared"}, {"-Wno-error", "-w", "-x", "c", "/dev/null", "-o", "enclave.so"});
  fs::rename(other.path() / "enclave.so", edge.path() / "enclave.so");
  const std::unique_ptr<void, CloseLibrary> library(
      ::dlopen((edge.path() / "bridge.so").c_str(), RTLD_NOW | RTLD_LOCAL));
  const auto* const bridge =
      reinterpret_cast<decltype(&jcprof_plugin)>(::dlsym(library.get(), "jcprof_plugin"))();
  CHECK(std::string(bridge->why(bridge->load())) ==
        "SGX_ERROR_INVALID_ENCLAVE (0x2001): enclave.so is not one");
}

TEST_CASE("what jcprof init drafts for an enclave builds a host build") {
  const test::TemporaryFolder folder;
  const std::map<std::string, std::string> files{
      {"app/main.cpp", "#include \"kv_u.h\"\nvoid ocall_log(const char*) {}\nint main() { return 0; }\n"},
      {"enclave/kv.cpp",
       "#include \"kv_t.h\"\nint ecall_length(const char* text, shared_t more) {\n  ocall_log(text);\n  int "
       "n = "
       "more;\n  while (*text++) n++;\n  return n;\n}\nvoid jcprof_enclave(unsigned, void*) {}\n"},
      {"enclave/kv.edl",
       "enclave { include \"shared.h\"\n  trusted { public int ecall_length([in, string] const char* "
       "text, shared_t more); };\n  untrusted { void ocall_log([in, string] const char* text); };\n};"},
      {"shared/shared.h", "typedef int shared_t;\n"}};
  FoundTree tree{.name = "sample"};
  for (const auto& [path, text] : files) {
    write_file(folder / "tree" / path, text);
    tree.paths.push_back(path);
    if (is_telling(path)) tree.texts.emplace(path, text);
  }
  const Project project = parse_project(folder / "tree/jcprof.json", draft_project(tree).text);
  const EdlEdit edit = edit_edl(read_edl({.root = folder / "tree"}, "enclave/kv.edl"), {});
  for (const EdgeFile& file : host_files(edit)) write_file(folder / "edge" / file.path, file.text);
  write_file(folder / "edge/bridge.c", bridge_file(edit, project.entry).text);
  fs::copy_file(fs::path(JCPROF_SOURCE_DIR) / "templates/jcprof_plugin.h", folder / "edge/jcprof_plugin.h");
  for (const Step& step : project.build) {
    Strings argv;
    for (const std::string& word : step.run) argv.push_back(fill_in(word, {{"out", folder.path().string()}}));
    run(folder / "tree", argv);
  }
  const Bridge bridge(folder / "tree/bridge.so");
  CHECK(bridge.make("ecall_length", std::string("four\0", 5) + bytes_of<int>(30)) == "34 ");
}

TEST_CASE("a host build has what the SDK gives enclaves, and its error codes") {
  const Edge edge("edge");
  write_file(edge.path() / "sdk.c", R"sdk(
#include <sgx_cpuid.h>
#include <sgx_error.h>
#include <sgx_lfence.h>
#include <sgx_spinlock.h>
#include <sgx_thread.h>
#include <sgx_trts.h>
#include <sgx_trts_aex.h>
#include <sgx_tseal.h>
#include <sgx_urts.h>
#include <sgx_uswitchless.h>
#include <assert.h>
#include <string.h>
_Static_assert(SGX_ERROR_UNSUPPORTED_CONFIG == 0x4013 && SGX_ERROR_FILE_CLOSE_FAILED == 0x7009, "codes");
_Static_assert(SGX_ERROR_NDEBUG_ENCLAVE == 0x2004 && SGX_ERROR_INVALID_KEYNAME == 0x3005, "codes");
_Static_assert(SGX_ERROR_TLS_X509_INVALID_EXTENSION == 0x9001 && SGX_PTHREAD_EXIT == 9, "codes");
static sgx_thread_mutex_t mutex = SGX_THREAD_MUTEX_INITIALIZER;
static sgx_spinlock_t lock = SGX_SPINLOCK_INITIALIZER;
int main(void) {
  unsigned char bytes[32] = {0}, sealed_bytes[640], text[4], behind[3];
  uint32_t size = sgx_calc_sealed_data_size(3, 4), text_size = 4, behind_size = 3;
  sgx_sealed_data_t *sealed = (sgx_sealed_data_t *)sealed_bytes;
  sgx_status_t (*create)(const char *, const int, sgx_launch_token_t *, int *, sgx_enclave_id_t *,
                         sgx_misc_attribute_t *, const uint32_t, const void *[32]) = NULL;
  sgx_uswitchless_config_t config = SGX_USWITCHLESS_CONFIG_INITIALIZER;
  (void)create;
  assert(config.num_uworkers == 1 && size == 560 + 7);
  assert(sgx_read_rand(bytes, sizeof bytes) == SGX_SUCCESS);
  assert(sgx_is_within_enclave(bytes, sizeof bytes) && sgx_is_outside_enclave(bytes, sizeof bytes));
  assert(sgx_thread_mutex_lock(&mutex) == 0 && sgx_thread_mutex_trylock(&mutex) != 0);
  assert(sgx_thread_mutex_unlock(&mutex) == 0 && sgx_spin_lock(&lock) == 0 && sgx_spin_unlock(&lock) == 0);
  sgx_lfence();
  assert(sgx_seal_data(3, (const uint8_t *)"mac", 4, (const uint8_t *)"text", size, sealed) == SGX_SUCCESS);
  assert(sgx_get_encrypt_txt_len(sealed) == 4 && sgx_get_add_mac_txt_len(sealed) == 3);
  assert(sgx_unseal_data(sealed, behind, &behind_size, text, &text_size) == SGX_SUCCESS);
  assert(memcmp(text, "text", 4) == 0 && memcmp(behind, "mac", 3) == 0);
  sealed_bytes[size - 1] ^= 1;
  assert(sgx_unseal_data(sealed, behind, &behind_size, text, &text_size) == SGX_ERROR_MAC_MISMATCH);
  return 0;
}
)sdk");
  edge.run_program("sdk", {"-include", "sgx_tseal.h", "-x", "c++", "host/sgx_thread.h"});
}

TEST_CASE("a host build has the SDK's digests and ciphers, and two enclaves agree on a key") {
  const Edge edge("edge");
  write_file(edge.path() / "crypto.c", R"sdk(
#include <sgx_dh.h>
#include <sgx_ecp_types.h>
#include <sgx_key.h>
#include <sgx_report.h>
#include <sgx_tcrypto.h>
#include <sgx_urts.h>
#include <sgx_utils.h>
#include <assert.h>
#include <stdio.h>
#include <string.h>
_Static_assert(sizeof(sgx_report_t) == 432 && sizeof(sgx_target_info_t) == 512, "sizes");
_Static_assert(sizeof(sgx_key_request_t) == 512 && sizeof(sgx_dh_msg1_t) == 576, "sizes");
_Static_assert(sizeof(sgx_dh_msg2_t) == 512 && sizeof(sgx_dh_msg3_t) == 452, "sizes");
static void bytes_of(const char *hex, uint8_t *bytes) {
  unsigned byte;
  for (; *hex; hex += 2) sscanf(hex, "%2x", &byte), *bytes++ = (uint8_t)byte;
}
static int is(const uint8_t *bytes, const char *hex) {
  uint8_t right[64];
  bytes_of(hex, right);
  return memcmp(bytes, right, strlen(hex) / 2) == 0;
}
static void digests(void) { /* FIPS 180-4, RFC 4493 */
  uint8_t key[16], text[64];
  sgx_sha256_hash_t hash;
  sgx_sha_state_handle_t sha;
  unsigned i;
  assert(sgx_sha256_msg((const uint8_t *)"abc", 3, &hash) == SGX_SUCCESS);
  assert(is(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
  assert(sgx_sha256_init(&sha) == SGX_SUCCESS);
  for (i = 0; i < 1000; i++) sgx_sha256_update((const uint8_t *)"aaaaaaaaaa", i % 11, sha);
  assert(sgx_sha256_get_hash(sha, &hash) == SGX_SUCCESS && sgx_sha256_close(sha) == SGX_SUCCESS);
  assert(is(hash, "419ef5311b8ca350303e8743860b2175549021f5c619ab03b84557013334b273"));
  bytes_of("2b7e151628aed2a6abf7158809cf4f3c", key);
  bytes_of("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411", text);
  sgx_rijndael128_cmac_msg((const sgx_cmac_128bit_key_t *)key, text, 0, (sgx_cmac_128bit_tag_t *)hash);
  assert(is(hash, "bb1d6929e95937287fa37d129b756746"));
  sgx_rijndael128_cmac_msg((const sgx_cmac_128bit_key_t *)key, text, 16, (sgx_cmac_128bit_tag_t *)hash);
  assert(is(hash, "070a16b46b4d4144f79bdd9dd04a287c"));
  sgx_rijndael128_cmac_msg((const sgx_cmac_128bit_key_t *)key, text, 40, (sgx_cmac_128bit_tag_t *)hash);
  assert(is(hash, "dfa66747de9ae63030ca32611497c827"));
}
static void ciphers(void) { /* SP 800-38A, F.5.1; the GCM specification, test case 4 */
  uint8_t key[16], text[64], beside[20], iv[16], out[64], tag[16], back[64];
  bytes_of("2b7e151628aed2a6abf7158809cf4f3c", key);
  bytes_of("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51", text);
  bytes_of("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", iv);
  sgx_aes_ctr_encrypt((const sgx_aes_ctr_128bit_key_t *)key, text, 32, iv, 128, out);
  assert(is(out, "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"));
  assert(is(iv, "f0f1f2f3f4f5f6f7f8f9fafbfcfdff01"));
  bytes_of("feffe9928665731c6d6a8f9467308308", key);
  bytes_of("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
           "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39", text);
  bytes_of("feedfacedeadbeeffeedfacedeadbeefabaddad2", beside);
  bytes_of("cafebabefacedbaddecaf888", iv);
  assert(sgx_rijndael128GCM_encrypt((const sgx_aes_gcm_128bit_key_t *)key, text, 60, out, iv, 12, beside, 20,
                                    (sgx_aes_gcm_128bit_tag_t *)tag) == SGX_SUCCESS);
  assert(is(out, "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
                 "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"));
  assert(is(tag, "5bc94fbc3221a5db94fae95ae7121a47"));
  assert(sgx_rijndael128GCM_decrypt((const sgx_aes_gcm_128bit_key_t *)key, out, 60, back, iv, 12, beside, 20,
                                    (const sgx_aes_gcm_128bit_tag_t *)tag) == SGX_SUCCESS);
  assert(memcmp(back, text, 60) == 0);
  beside[3] ^= 1;
  assert(sgx_rijndael128GCM_decrypt((const sgx_aes_gcm_128bit_key_t *)key, out, 60, back, iv, 12, beside, 20,
                                    (const sgx_aes_gcm_128bit_tag_t *)tag) == SGX_ERROR_MAC_MISMATCH);
}
static void agreement(void) {
  sgx_dh_session_t one, other;
  sgx_dh_msg1_t first;
  sgx_dh_msg2_t second;
  sgx_dh_msg3_t third;
  sgx_key_128bit_t of_one, of_other;
  sgx_dh_session_enclave_identity_t who;
  sgx_dh_init_session(SGX_DH_SESSION_INITIATOR, &one);
  sgx_dh_init_session(SGX_DH_SESSION_RESPONDER, &other);
  assert(sgx_dh_responder_gen_msg1(&first, &one) == SGX_ERROR_INVALID_STATE);
  assert(sgx_dh_responder_gen_msg1(&first, &other) == SGX_SUCCESS);
  assert(sgx_dh_initiator_proc_msg1(&first, &second, &one) == SGX_SUCCESS);
  assert(sgx_dh_responder_proc_msg2(&second, &third, &other, &of_other, &who) == SGX_SUCCESS);
  assert(who.attributes.flags & SGX_FLAGS_INITTED);
  third.msg3_body.additional_prop_length++;
  assert(sgx_dh_initiator_proc_msg3(&third, &one, &of_one, &who) == SGX_ERROR_MAC_MISMATCH);
  third.msg3_body.additional_prop_length--;
  assert(sgx_dh_initiator_proc_msg3(&third, &one, &of_one, &who) == SGX_SUCCESS);
  assert(memcmp(of_one, of_other, sizeof of_one) == 0);
}
int main(void) {
  digests();
  ciphers();
  agreement();
  return 0;
}
)sdk");
  edge.run_program("crypto", {"-x", "c++", "host/sgx_dh.h"});
}

TEST_CASE("a bridge is made for public ecalls only") {
  const EdlEdit edit = edited("edge");
  CHECK(test::fault_text([&] { bridge_file(edit, {"ecall_hsh"}); }) ==
        "enclave.edl: there is no ecall \"ecall_hsh\"\nhint: did you mean \"ecall_hash\"?");
  CHECK(test::fault_text([&] { bridge_file(edit, {"ecall_private"}); }) ==
        "enclave.edl: the ecall \"ecall_private\" is not public\n"
        "hint: it can be called from within an ocall only: profile the ecall that leads there");
}

}  // namespace
}  // namespace jcprof::rewriter
