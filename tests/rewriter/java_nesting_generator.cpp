// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/rewriter/java_nesting.hpp"

namespace jcprof::rewriter {
namespace {

// Statements in a row, and methods of a class.
constexpr int longest_body = 3;
constexpr int most_methods = 3;

rc::Gen<Shape> shapes();

/// What is nested has half the size, so that it ends.
rc::Gen<Body> bodies() {
  return rc::gen::withSize([](int size) {
    return rc::gen::resize(std::min(size, longest_body),
                           rc::gen::container<Body>(rc::gen::resize(size / 2, shapes())));
  });
}

rc::Gen<Shape> shape(Kind kind, std::size_t parts) {
  return rc::gen::apply(
      [kind](std::uint64_t pick, std::vector<Body> nested) {
        return Shape{.kind = kind, .pick = pick, .parts = std::move(nested)};
      },
      rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>()),
      rc::gen::container<std::vector<Body>>(parts, bodies()));
}

/// One level of nesting less: each part as a block, and each statement in it.
rc::Seq<Shape> less_nested(const Shape& whole) {
  std::vector<Shape> simpler;
  for (const Body& part : whole.parts) {
    simpler.insert(simpler.end(), part.begin(), part.end());
    if (whole.kind != Kind::block && part.size() > 1)
      simpler.push_back({.kind = Kind::block, .pick = 0, .parts = {part}});
  }
  if (whole.kind != Kind::step) simpler.emplace_back();
  return rc::seq::fromContainer(simpler);
}

rc::Gen<Shape> leaves() {
  return rc::gen::weightedOneOf<Shape>({{5, shape(Kind::step, 0)},
                                        {3, shape(Kind::assign, 0)},
                                        {3, shape(Kind::declare, 0)},
                                        {3, shape(Kind::call, 0)},
                                        {1, shape(Kind::marker, 0)},
                                        {4, shape(Kind::leave, 0)},
                                        {5, shape(Kind::jump, 0)}});
}

rc::Gen<Shape> compounds() {
  return rc::gen::weightedOneOf<Shape>({{1, shape(Kind::block, 1)},
                                        {4, shape(Kind::when, 2)},
                                        {5, shape(Kind::loop, 1)},
                                        {2, shape(Kind::labelled, 1)},
                                        {3, shape(Kind::choose, 4)},
                                        {6, shape(Kind::attempt, 4)},
                                        {1, shape(Kind::nested_class, 1)},
                                        {1, shape(Kind::assigned_late, 1)}});
}

rc::Gen<Shape> shapes() {
  return rc::gen::withSize([](int size) {
    const rc::Gen<Shape> any =
        size < 2 ? leaves() : rc::gen::weightedOneOf<Shape>({{2, leaves()}, {3, compounds()}});
    return rc::gen::shrink(any, [](const Shape& whole) { return less_nested(whole); });
  });
}

}  // namespace

rc::Gen<Program> programs() {
  return rc::gen::withSize([](int size) {
    return rc::gen::resize(most_methods,
                           rc::gen::container<Program>(rc::gen::resize(size, shape(Kind::method, 1))));
  });
}

}  // namespace jcprof::rewriter
