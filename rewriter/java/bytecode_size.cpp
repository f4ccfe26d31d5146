// SPDX-License-Identifier: Apache-2.0
#include "rewriter/java/bytecode_size.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace jcprof::rewriter {
namespace {

// Java Card VM Specification 3.0.5, 2.2.4.3 (a method) and 6.9 (the Method component: all of a package).
constexpr std::size_t largest_method = 32767;
constexpr std::size_t largest_package = 65535;
// sipush or sspush, then invokestatic.
constexpr std::size_t bytes_of_trap = 6;

constexpr std::string_view way_out =
    R"(narrow "profile.include", or set "profile.level" to "block" or "function")";

/// A converter's bytecode is not javac's: what comes near the limit may be over it.
bool is_near(std::size_t bytes, std::size_t limit) {
  return bytes > limit / 10 * 9;
}

bool is_in(const MethodSize& method, std::string package) {
  std::ranges::replace(package, '.', '/');
  const std::size_t slash = method.class_name.rfind('/');
  return (slash == std::string::npos ? "" : method.class_name.substr(0, slash)) == package;
}

/// Big-endian numbers one after the other; zeros behind the end.
class ClassFileParser {
 public:
  explicit ClassFileParser(std::string_view bytes) : bytes_(bytes) {}

  std::size_t number(std::size_t width) {
    std::size_t value = 0;
    for (const char c : text(width)) value = value << 8U | static_cast<unsigned char>(c);
    return value;
  }
  std::string_view text(std::size_t length) {
    ended_ |= length > bytes_.size() - at_;
    if (ended_) return {};
    at_ += length;
    return bytes_.substr(at_ - length, length);
  }
  bool ended() const { return ended_; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool ended_ = false;
};

struct ConstantPool {
  std::map<std::size_t, std::string_view> texts;
  std::map<std::size_t, std::size_t> classes;  // → the text that is its name

  std::string text(std::size_t index) const {
    const auto found = texts.find(index);
    return found == texts.end() ? std::string{} : std::string(found->second);
  }
  std::string class_name(std::size_t index) const {
    const auto found = classes.find(index);
    return found == classes.end() ? std::string{} : text(found->second);
  }
};

ConstantPool read_constants(ClassFileParser& bytes) {
  constexpr std::size_t utf8 = 1;
  constexpr std::size_t class_reference = 7;
  ConstantPool pool;
  const std::size_t count = bytes.number(2);
  for (std::size_t i = 1; i < count && !bytes.ended(); ++i) {
    const std::size_t tag = bytes.number(1);
    switch (tag) {
      case utf8:
        pool.texts.emplace(i, bytes.text(bytes.number(2)));
        break;
      case class_reference:
        pool.classes.emplace(i, bytes.number(2));
        break;
      case 8:   // String
      case 16:  // MethodType
      case 19:  // Module
      case 20:  // Package
        bytes.number(2);
        break;
      case 15:  // MethodHandle
        bytes.number(3);
        break;
      case 5:  // Long
      case 6:  // Double: these two take two places
        bytes.number(8);
        ++i;
        break;
      default:
        bytes.number(4);
    }
  }
  return pool;
}

/// The attributes of a field or method: the length of its code, if there is any.
std::size_t read_attributes(ClassFileParser& bytes, const ConstantPool& pool) {
  std::size_t code = 0;
  for (std::size_t left = bytes.number(2); left > 0 && !bytes.ended(); --left) {
    const std::string name = pool.text(bytes.number(2));
    ClassFileParser attribute(bytes.text(bytes.number(4)));
    if (name != "Code") continue;
    attribute.number(4);  // max_stack, max_locals
    code = attribute.number(4);
  }
  return code;
}

std::vector<MethodSize> read_members(ClassFileParser& bytes, const ConstantPool& pool,
                                     const std::string& class_name) {
  std::vector<MethodSize> members;
  for (std::size_t left = bytes.number(2); left > 0 && !bytes.ended(); --left) {
    bytes.number(2);  // access
    const std::string name = pool.text(bytes.number(2));
    bytes.number(2);  // descriptor
    members.push_back({.class_name = class_name, .name = name, .bytes = read_attributes(bytes, pool)});
  }
  return members;
}

}  // namespace

std::vector<MethodSize> method_sizes(std::string_view class_file) {
  ClassFileParser bytes(class_file);
  constexpr std::size_t magic = 0xCAFEBABE;
  if (bytes.number(4) != magic) return {};
  bytes.number(4);  // version
  const ConstantPool pool = read_constants(bytes);
  bytes.number(2);  // access
  const std::string name = pool.class_name(bytes.number(2));
  bytes.number(2);                  // superclass
  bytes.text(bytes.number(2) * 2);  // interfaces
  read_members(bytes, pool, name);  // fields
  std::vector<MethodSize> methods = read_members(bytes, pool, name);
  return bytes.ended() ? std::vector<MethodSize>{} : methods;
}

std::vector<std::string> size_notes(const std::vector<MethodSize>& methods, const std::string& package,
                                    std::size_t traps) {
  std::vector<std::string> notes;
  std::size_t total = 0;
  for (const MethodSize& method : methods) {
    if (!is_in(method, package)) continue;
    total += method.bytes;
    if (is_near(method.bytes, largest_method))
      notes.push_back(
          fmt::format("{}.{} has about {} bytes of bytecode with its traps; a Java Card method holds {}: {}",
                      method.class_name.substr(method.class_name.rfind('/') + 1), method.name, method.bytes,
                      largest_method, way_out));
  }
  const std::size_t added = traps * bytes_of_trap;
  if (is_near(total, largest_package))
    notes.push_back(
        fmt::format("the package has about {} bytes of bytecode, {} of them for {} traps; a Java Card "
                    "package holds {}: {}",
                    total, added, traps, largest_package, way_out));
  if (methods.empty() && added > largest_package / 2)
    notes.push_back(
        fmt::format("{} traps take about {} bytes of the {} of bytecode that a Java Card package holds: {}",
                    traps, added, largest_package, way_out));
  return notes;
}

}  // namespace jcprof::rewriter
