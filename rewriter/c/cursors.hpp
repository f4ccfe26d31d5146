// SPDX-License-Identifier: Apache-2.0
// libclang's cursors → the functions and statements of a CView. Internal to unit.cpp and its like.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "rewriter/c/syntax.hpp"
#include "rewriter/c/text.hpp"

struct CXTranslationUnitImpl;

namespace jcprof::rewriter {

/// A file of which a unit's functions are read, with its macro uses known.
struct CSourceFile {
  const CText* text = nullptr;
  CView* view = nullptr;
  std::size_t index = 0;
};

struct CUnitContext {
  /// The source that a CXFile is; null: of no interest.
  std::function<const CSourceFile*(void*)> source_of;
  bool is_cpp = false;
  bool statements_in_constexpr = true;
  bool destructors_in_constexpr = false;
  bool drops_processors = false;  // clang does not know the processor that an attribute names
};

/// Offsets of a function's parts.
struct CPlaces {
  std::uint32_t name = 0;
  std::uint32_t definition = 0;
  std::uint32_t body = 0;
  std::uint32_t end = 0;  // of the body
};

/// A place in a file. A place in what a macro makes is that of the macro's use.
struct CPoint {
  void* file = nullptr;
  unsigned line = 0;
  unsigned column = 0;
  std::uint32_t offset = 0;
};

struct CExtent {
  CPoint begin;
  CPoint end;
  std::uint32_t end_in_argument = 0;  // an end in a macro's argument, where `end` is the use's begin
};

// `cursor` is a CXCursor, `type` a CXType, `kind` a CXCursorKind: headers must not name them.

/// The text of a CXString, which is disposed of.
template <typename String>
std::string taken(String string) {
  const char* text = clang_getCString(string);
  std::string result = text == nullptr ? "" : text;
  clang_disposeString(string);
  return result;
}

template <typename Location>
CPoint point_of(Location location) {
  CPoint result;
  clang_getExpansionLocation(location, &result.file, &result.line, &result.column, &result.offset);
  return result;
}

/// `child` stays as it is where there is none.
void first_child(const void* cursor, void* child);

// In signature.cpp.

CFunction describe_function(const void* cursor, const CPlaces& places, const CSourceFile& source,
                            const CUnitContext& context);
/// A variable of that name is in scope: where the function's result has its type by it, a value cannot be
/// held.
void hide(std::string_view name, CFunction& function);
/// The unit includes the file several times: what #if leaves out of that body here, it compiles there. The
/// text may be another function there, such as a template's by #include.
void compiled_again(const void* cursor, CRange body, CView& view);

/// Its namespaces and classes; what has no name is left out.
std::string scope_of(const void* cursor);
/// The declaration as one line, attributes included; costly.
std::string terse(const void* cursor);

// In held.cpp.

/// Finds the type of C++ that returned values may be copied in without a trace. `range`: of the definition.
void hold(const void* function, CRange range, const CSourceFile& source, CFunction& to);
void hold_of_lambda(const void* lambda, CRange range, const CSourceFile& source, CFunction& to);

// In kinds.cpp.

CKind kind_of(int kind);
bool is_function(int kind);
bool is_class(int kind);
bool is_scalar(const void* type);
/// A value that takes no time of its own: a name, a number, a member of such.
bool is_trivial(const void* cursor);
/// Neither volatile nor in a register.
bool is_plain_variable(const void* cursor);

// In kept.cpp. The values are texts for JCPROF_TRAP_V; empty: there is none.

/// Places that a statement's expression leaves computed values in.
std::string kept_of_expression(const void* statement, const CSourceFile& source);
/// A variable with a computed value.
std::string kept_of_variable(const void* variable, const CSourceFile& source);
/// The values of `all` and those of `more`; not those where they are too many.
std::string kept_with(const std::string& all, const std::string& more);
/// A local that is returned.
std::string kept_of_returned(const void* value, const CSourceFile& source);
/// Scalars apart, a value of that type can be kept by a copy of it.
bool is_small(const void* type);

// In lifetimes.cpp.

/// Something runs when a value of the type is destroyed, or that cannot be told.
bool is_destroyed(const void* type);

/// A type that clang does not know, as it depends on a template's arguments.
bool is_unknown(const void* type);
/// Finds what of a function or lambda runs where no statement stands.
void read_lifetimes(const void* cursor, const void* body, const CSourceFile& source,
                    const CUnitContext& context, CFunction& function);

// In initialisers.cpp.

/// Finds where a constructor's entry can stand, so that it comes before what the initialisers cost. `end`: of
/// its body.
void read_initialisers(const void* constructor, const CSourceFile& source, std::uint32_t end,
                       CFunction& function);

/// The value that a class gives a member, as a function, where it calls one that takes time; nothing: it has
/// none, or no trap can stand in it.
std::optional<CFunction> read_member_value(const void* field, const CSourceFile& source);

// In extents.cpp.

CExtent extent_of(const void* cursor);
/// The bytes of the file that an extent covers.
CRange range_of(const CSourceFile& source, const CExtent& extent);
/// `range`, or an empty one where it begins within a macro's use.
CRange outside_macros(const CSourceFile& source, CRange range);
std::string_view word_at(const CSourceFile& source, std::uint32_t offset);
enum class Braces : std::uint8_t { none, own, half, digraph };  // half: one of them comes from a macro
/// `body`: a function's. A function that is `= default` has one too, without braces.
Braces braces_of(const CSourceFile& source, CRange body);
/// The begin of the definition of that name, by the text: behind the end of what precedes it.
std::uint32_t definition_at(const CSourceFile& source, std::uint32_t name);

void read_functions(CXTranslationUnitImpl* unit, const CUnitContext& context);

}  // namespace jcprof::rewriter
