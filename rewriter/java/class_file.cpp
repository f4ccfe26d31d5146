// SPDX-License-Identifier: Apache-2.0
#include "rewriter/java/class_file.hpp"

#include <cstdint>
#include <map>

namespace jcprof::rewriter {
namespace {

/// Big-endian numbers one after the other; zeros behind the end.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

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

ConstantPool read_constants(Reader& reader) {
  constexpr std::size_t utf8 = 1;
  constexpr std::size_t class_reference = 7;
  ConstantPool pool;
  const std::size_t count = reader.number(2);
  for (std::size_t i = 1; i < count && !reader.ended(); ++i) {
    const std::size_t tag = reader.number(1);
    switch (tag) {
      case utf8:
        pool.texts.emplace(i, reader.text(reader.number(2)));
        break;
      case class_reference:
        pool.classes.emplace(i, reader.number(2));
        break;
      case 8:   // String
      case 16:  // MethodType
      case 19:  // Module
      case 20:  // Package
        reader.number(2);
        break;
      case 15:  // MethodHandle
        reader.number(3);
        break;
      case 5:  // Long
      case 6:  // Double: these two take two places
        reader.number(8);
        ++i;
        break;
      default:
        reader.number(4);
    }
  }
  return pool;
}

/// The attributes of a field or method: the length of its code, if there is any.
std::size_t read_attributes(Reader& reader, const ConstantPool& pool) {
  std::size_t code = 0;
  for (std::size_t left = reader.number(2); left > 0 && !reader.ended(); --left) {
    const std::string name = pool.text(reader.number(2));
    Reader attribute(reader.text(reader.number(4)));
    if (name != "Code") continue;
    attribute.number(4);  // max_stack, max_locals
    code = attribute.number(4);
  }
  return code;
}

std::vector<MethodSize> read_members(Reader& reader, const ConstantPool& pool,
                                     const std::string& class_name) {
  std::vector<MethodSize> members;
  for (std::size_t left = reader.number(2); left > 0 && !reader.ended(); --left) {
    reader.number(2);  // access
    const std::string name = pool.text(reader.number(2));
    reader.number(2);  // descriptor
    members.push_back({.class_name = class_name, .name = name, .bytes = read_attributes(reader, pool)});
  }
  return members;
}

}  // namespace

std::vector<MethodSize> method_sizes(std::string_view class_file) {
  Reader reader(class_file);
  constexpr std::size_t magic = 0xCAFEBABE;
  if (reader.number(4) != magic) return {};
  reader.number(4);  // version
  const ConstantPool pool = read_constants(reader);
  reader.number(2);  // access
  const std::string name = pool.class_name(reader.number(2));
  reader.number(2);                   // superclass
  reader.text(reader.number(2) * 2);  // interfaces
  read_members(reader, pool, name);   // fields
  std::vector<MethodSize> methods = read_members(reader, pool, name);
  return reader.ended() ? std::vector<MethodSize>{} : methods;
}

}  // namespace jcprof::rewriter
