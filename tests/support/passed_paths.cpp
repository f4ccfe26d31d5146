// SPDX-License-Identifier: Apache-2.0
#include "tests/support/passed_paths.hpp"

#include <array>
#include <map>

#include "src/engine/random.hpp"

namespace jcprof::test {
namespace {

using harness::TrapRole;

/// examples/javacard-bignum/src/BigNumApplet.java, with numbers for traps.
class Bignum {
 public:
  std::vector<TrapId> run() {
    pass({1, 2, 4, 7, 10, 12, 13});
    constexpr std::array<std::uint8_t, 16> input{0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6, 0x07, 0x18,
                                                 0x29, 0x3A, 0x4B, 0x5C, 0x6D, 0x7E, 0x8F, 0x90};
    for (std::size_t n = 0; n < length; ++n) {
      pass({14, 17, 18});
      for (std::size_t i = 0; i < product_.size() - 1; ++i) {
        pass({19, 20});
        product_[i] = product_[i + 1];
      }
      product_.back() = 0;
      pass({21, 22});
      add(input.at(n % input.size()));
      reduce();
      pass({15});
    }
    pass({16, 11});
    return passed_;
  }

 private:
  static constexpr int length = 64;
  static constexpr int factor = 0x9D;
  static constexpr int modulus = 0xC5;

  void pass(std::initializer_list<std::uint32_t> traps) {
    for (const std::uint32_t trap : traps) passed_.push_back(TrapId{trap});
  }

  void add(int times) {
    pass({23, 25, 26});
    int carry = 0;
    for (std::size_t i = length; i > 0; --i) {
      pass({27, 28});
      carry += factor * times + product_[i + 1];
      product_[i + 1] = static_cast<std::uint8_t>(carry);
      carry >>= 8;
    }
    pass({29, 31});
    add_on_top(carry);
    pass({32, 30});
  }

  void add_on_top(int carry) {
    const int top = (product_[0] << 8 | product_[1]) + carry;
    product_[0] = static_cast<std::uint8_t>(top >> 8);
    product_[1] = static_cast<std::uint8_t>(top);
  }

  void reduce() {
    pass({33, 34});
    int digit = 128;
    while (is_too_large()) {
      pass({35});
      while (digit > 1 && !fits(digit)) {
        pass({36, 37});
        digit >>= 1;
      }
      pass({38, 53, 54});
      subtract(digit);
      pass({58, 39});
    }
    pass({40});
  }

  bool is_too_large() {
    pass({41});
    if (product_[0] != 0 || product_[1] != 0) {
      pass({42});
      return true;
    }
    pass({43, 47, 48});
    for (std::size_t i = 0; i < length; ++i) {
      pass({49});
      const int difference = product_[i + 2] - modulus;
      if (difference != 0) {
        pass({50, 44});
        return difference > 0;
      }
      pass({51});
    }
    pass({52, 44});
    return true;
  }

  bool fits(int digit) {
    pass({45, 46});
    return (product_[0] << 8 | product_[1]) > (modulus + 1) * digit >> 8;
  }

  void subtract(int times) {
    int borrow = 0;
    for (std::size_t i = length; i > 0; --i) {
      pass({55, 56});
      borrow += product_[i + 1] - modulus * times;
      product_[i + 1] = static_cast<std::uint8_t>(borrow);
      borrow >>= 8;
    }
    pass({57});
    add_on_top(borrow);
  }

  std::vector<TrapId> passed_;
  std::array<std::uint8_t, length + 2> product_{};
};

std::vector<TrapRole> roles_of_bignum() {
  struct Function {
    std::uint32_t first;
    std::vector<std::uint32_t> ends;
  };
  const std::vector<Function> functions{{1, {3, 11}}, {12, {16}},     {17, {22}}, {23, {24, 30}}, {31, {32}},
                                        {33, {40}},   {41, {42, 44}}, {45, {46}}, {47, {50, 52}}, {53, {58}}};
  std::vector<TrapRole> roles(58);
  for (std::uint32_t f = 0; f < functions.size(); ++f) {
    const std::uint32_t behind = f + 1 < functions.size() ? functions[f + 1].first : 59;
    for (std::uint32_t trap = functions[f].first; trap < behind; ++trap) roles[trap - 1].function = f + 1;
    roles[f == 0 ? 1 : functions[f].first - 1].enters = true;
    for (const std::uint32_t end : functions[f].ends) roles[end - 1].leaves = true;
  }
  return roles;
}

enum class Kind : std::uint8_t { plain, loop, branch, call, raise, attempt };
enum class Passes : std::uint8_t { constant, growing, shrinking, random };
enum class Decision : std::uint8_t { chance, pattern, seldom };

struct Statement {
  Kind kind = Kind::plain;
  Passes passes = Passes::constant;
  Decision decision = Decision::chance;
  std::uint32_t number = 0;  // of passes, of a pattern, of a function
  std::uint32_t trap = 0;
  std::uint32_t other_trap = 0;
  std::vector<Statement> body = {};
  std::vector<Statement> other = {};
};

struct Function {
  std::uint32_t entry = 0;
  std::uint32_t exit = 0;
  std::vector<Statement> body = {};
};

class RandomProgram {
 public:
  RandomProgram(std::uint64_t seed, std::size_t most) : seed_(seed), most_(most) {
    functions_.resize(1 + draw(5));
    for (std::uint32_t f = 0; f < functions_.size(); ++f) {
      function_ = f;
      functions_[f].entry = trap();
      path_.roles.back().enters = true;
      functions_[f].body = body(3);
      functions_[f].exit = trap();
      path_.roles.back().leaves = true;
    }
  }

  PassedPath run() {
    while (path_.traps.size() < most_ / 4 && runs_++ < 20) call(0);
    return std::move(path_);
  }

 private:
  std::uint32_t draw(std::uint32_t bound) {
    return static_cast<std::uint32_t>(engine::draw(seed_, 7, drawn_++, bound));
  }

  std::uint32_t trap() {
    path_.roles.push_back({.function = function_ + 1});
    return static_cast<std::uint32_t>(path_.roles.size());
  }

  std::vector<Statement> body(int depth) {
    std::vector<Statement> statements(1 + draw(4));
    for (Statement& one : statements) one = statement(depth);
    return statements;
  }

  Statement statement(int depth) {
    Statement one{.kind = depth == 0 ? Kind::plain : static_cast<Kind>(draw(6)),
                  .passes = static_cast<Passes>(draw(4)),
                  .decision = static_cast<Decision>(draw(3)),
                  .number = 1 + (draw(3) == 0 ? draw(64) : draw(9)),
                  .trap = trap(),
                  .other_trap = trap()};
    if (one.kind == Kind::loop || one.kind == Kind::branch || one.kind == Kind::attempt)
      one.body = body(depth - 1);
    // Branches of equal length are the hardest to tell by a signature.
    if (one.kind == Kind::branch) {
      one.other = one.body;
      for (Statement& other : one.other) other.trap = trap();
    }
    return one;
  }

  bool is_over() const { return path_.traps.size() >= most_; }
  void pass(std::uint32_t trap) {
    if (!is_over()) path_.traps.push_back(TrapId{trap});
  }

  /// False: an exception is under way.
  bool call(std::uint32_t function) {
    if (depth_ > 6) return true;
    ++depth_;
    pass(functions_[function].entry);
    const bool completes = run(functions_[function].body);
    if (completes) pass(functions_[function].exit);
    --depth_;
    return completes;
  }

  bool run(const std::vector<Statement>& body) {
    for (const Statement& one : body)
      if (is_over() || !run(one)) return is_over();
    return true;
  }

  bool run(const Statement& one) {
    switch (one.kind) {
      case Kind::plain:
        pass(one.trap);
        return true;
      case Kind::loop:
        return loop(one);
      case Kind::branch:
        pass(is_taken(one) ? one.trap : one.other_trap);
        return run(is_taken_ ? one.body : one.other);
      case Kind::call:
        pass(one.trap);
        return call(one.number % static_cast<std::uint32_t>(functions_.size()));
      case Kind::raise:
        return draw(20) != 0;
      case Kind::attempt:
        pass(one.trap);
        if (!run(one.body)) pass(one.other_trap);
        return true;
    }
    return true;
  }

  bool loop(const Statement& one) {
    const std::uint32_t before = ++entered_[one.trap];
    const std::array<std::uint32_t, 4> passes{one.number, before % 40, 40 - before % 40,
                                              draw(one.number + 1)};
    for (std::uint32_t i = 0; i < passes.at(static_cast<std::size_t>(one.passes)) && !is_over(); ++i) {
      pass(one.trap);
      if (!run(one.body)) return false;
    }
    pass(one.other_trap);
    return true;
  }

  bool is_taken(const Statement& one) {
    const std::uint32_t before = entered_[one.trap]++;
    const std::array<bool, 3> taken{draw(2) == 0, (one.number >> before % 5 & 1U) == 1, draw(50) == 0};
    is_taken_ = taken.at(static_cast<std::size_t>(one.decision));
    return is_taken_;
  }

  std::uint64_t seed_;
  std::size_t most_;
  std::uint64_t drawn_ = 0;
  std::uint32_t function_ = 0;
  std::vector<Function> functions_;
  std::map<std::uint32_t, std::uint32_t> entered_;
  PassedPath path_;
  int depth_ = 0;
  int runs_ = 0;
  bool is_taken_ = false;
};

}  // namespace

PassedPath bignum_path() {
  return {.traps = Bignum().run(), .roles = roles_of_bignum()};
}

PassedPath random_path(std::uint64_t seed, std::size_t most) {
  return RandomProgram(seed, most).run();
}

}  // namespace jcprof::test
