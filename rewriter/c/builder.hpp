// SPDX-License-Identifier: Apache-2.0
// The walk over what a unit sees of a file that builds sites and slots, in the order of the text. Internal to
// functions.cpp (functions, their ends, markers) and statements.cpp (what stands in bodies); knows no
// libclang.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/c/entry.hpp"
#include "rewriter/c/front_end.hpp"
#include "rewriter/c/syntax.hpp"
#include "rewriter/c/text.hpp"
#include "rewriter/line_index.hpp"
#include "rewriter/source_model.hpp"

namespace jcprof::rewriter {

/// One that counts: it does something, and does not begin in a macro.
struct CStatement {
  std::uint32_t begin = 0;
  std::uint32_t function = 0;  // of the fragment, later of the model
  bool operator==(const CStatement&) const = default;
};

/// A function with what is nested in it: what units agree about or do not. Sites name functions, and slots
/// sites, of the fragment.
struct CFragment {
  std::uint32_t body = 0;  // where it begins: units mean the same function
  std::vector<Function> functions;
  std::vector<std::string> parameters;  // of each function: "(int,char *)"
  std::vector<Site> sites;
  std::vector<Slot> slots;
  std::vector<LeftAlone> left_alone;
  std::vector<CStatement> statements;
  bool operator==(const CFragment&) const = default;
};

struct CViewModel {
  std::vector<CFragment> fragments;
  std::vector<LeftAlone> left_alone;  // outside of functions
};

class CBuilder {
 public:
  CBuilder(const CText& text, const CView& view, const CEntering& entering)
      : text_(text), view_(view), entering_(entering) {}

  CViewModel build();

 private:
  using NodeIndex = std::uint32_t;

  /// The function being walked.
  struct Frame {
    std::uint32_t function = 0;  // of the fragment
    const CFunction* source = nullptr;
    bool is_constexpr = false;
  };

  /// What the next statement's trap is: the first of a body has a kind of its own.
  struct Position {
    TrapKind kind = TrapKind::before;
    TrapLevel level = TrapLevel::statement;
  };
  static constexpr Position ordinary{TrapKind::before, TrapLevel::statement};
  static constexpr Position first_of_block{TrapKind::before, TrapLevel::block};

  /// Where a statement's trap goes; not empty `why_not`: nowhere.
  struct Spot {
    std::uint32_t at = 0;
    std::string_view why_not;
  };

  // Functions, in functions.cpp.

  void function(NodeIndex node, const Frame* outside);
  std::uint32_t add_function(const CFunction& source, const Frame* outside);
  bool is_assembly(NodeIndex body) const;
  bool is_statement_of(NodeIndex outer, NodeIndex child) const;
  void leave_function_alone(NodeIndex node, NodeIndex body, const std::string& why);
  void function_body(const Frame& frame, NodeIndex node, NodeIndex body);
  void entry_traps(const Frame& frame, NodeIndex node, NodeIndex whole);
  bool can_be_wrapped(const CFunction& source, NodeIndex body) const;
  bool may_be_entry(const CFunction& source, NodeIndex body) const;
  /// The slots of a wrapper in front of the definition, at its body and behind it; nobody wanting them: they
  /// always stand.
  void wrap(const CFunction& source, NodeIndex whole, RootKind root,
            const std::vector<std::uint32_t>& wanted_by);
  /// Where the definition begins, with the `extern "C"` in front of it.
  std::uint32_t definition_of(const CFunction& source) const;
  std::size_t line_of(std::uint32_t offset) const;
  bool ends_with_statement(std::size_t brace) const;
  void collect_left_over(CViewModel& model);

  // Statements, in statements.cpp.

  enum class Labels : std::uint8_t { named, all };
  /// The statement that labels, or cases too, stand in front of, attributes of theirs included.
  NodeIndex behind_labels(NodeIndex node, Labels labels) const;

  /// A case, or one behind labels.
  bool is_case(NodeIndex node) const;
  /// The statements of a compound from the child `from` on. `first` is the position of the first one that
  /// can carry a trap.
  void sequence(const Frame& frame, NodeIndex compound, Position first, NodeIndex from = 0);
  void switch_block(const Frame& frame, NodeIndex body);

  /// True when it is no mere declaration: what follows is not the first of its block.
  bool statement(const Frame& frame, NodeIndex node, Position position, Spot spot);
  bool labelled(const Frame& frame, NodeIndex node, Position position, Spot spot);
  bool attributed(const Frame& frame, NodeIndex node, Position position, Spot spot);
  void return_statement(const Frame& frame, NodeIndex node, Position position, Spot spot);
  std::optional<std::uint32_t> before_trap(const Frame& frame, NodeIndex node, Position position, Spot spot);

  /// What stands within a statement whose own trap is set.
  void inside(const Frame& frame, NodeIndex node);
  void if_statement(const Frame& frame, NodeIndex node);
  /// The trap of an `else if`; false: it has none. `braced` collects those that need a brace at the end.
  void else_if(const Frame& frame, NodeIndex node, std::vector<std::uint32_t>& braced);
  void try_statement(const Frame& frame, NodeIndex node);
  void block(const Frame& frame, NodeIndex node, Position first);

  /// The body of a loop or an if: a block, or one statement that needs braces once it has a trap.
  void branch(const Frame& frame, NodeIndex node, Position position);

  /// Blocks of the file's own in what a macro makes, or what traps cannot be put into otherwise.
  void blocks_within(const Frame& frame, NodeIndex node);
  std::uint32_t end_trap(const Frame& frame, Position position, NodeIndex compound);
  void marker(const Frame& frame, NodeIndex null_statement);
  /// Functions within an expression or a declaration.
  void nested(const Frame& frame, NodeIndex node);

  // Questions about the text, in places.cpp.

  struct IfParts {
    std::uint32_t open = 0;  // behind the parenthesis of its condition; 0: not found
    bool declares = false;   // or is constexpr: nothing can stand in its condition
    std::optional<NodeIndex> then;
    std::optional<NodeIndex> otherwise;
  };
  IfParts parts_of(NodeIndex if_statement) const;

  Spot spot_behind(NodeIndex node, std::uint32_t behind) const;
  bool is_own_block(NodeIndex node) const;
  bool can_be_braced(NodeIndex node) const;
  bool is_pragma_operator(const CToken& closing) const;

  /// Behind the statement with its `;`; none: that cannot be told from the text.
  std::optional<std::uint32_t> end_of(NodeIndex node) const;
  bool completes(NodeIndex node) const;
  bool is_endless(NodeIndex loop) const;
  bool has_break(NodeIndex node) const;
  bool has_default(NodeIndex switch_body) const;

  /// Both stand in the same branch of every #if.
  bool same_branch(std::uint32_t begin, std::uint32_t end) const;
  bool in_macro(std::uint32_t offset) const;

  /// Index of the first compiled token at `offset` or behind it, directives left out.
  std::size_t token_at(std::uint32_t offset) const;
  std::size_t next_token(std::size_t token) const;
  /// The last compiled token that ends at `offset` or in front of it; none at the begin of the file.
  const CToken* token_before(std::uint32_t offset) const;
  std::string_view word_at(std::uint32_t offset) const;
  std::string_view word(std::size_t token) const;

  std::vector<NodeIndex> children(NodeIndex node) const;
  const CNode& at(NodeIndex node) const { return view_.nodes[node]; }

  // The model.

  std::string trap_text(const Frame& frame, bool in_front_of_declaration);
  std::uint32_t site(const Frame& frame, Position position, std::uint32_t begin, std::uint32_t end);
  void slot(std::uint32_t at, std::string text, std::vector<std::uint32_t> wanted_by);
  void leave_alone(std::uint32_t offset, std::string_view reason);
  void count(const Frame& frame, NodeIndex node);
  /// A statement that does something, outside of macros.
  static bool is_executable(const CNode& node);

  const CText& text_;
  const CView& view_;
  const CEntering& entering_;
  CFragment fragment_;
  std::vector<std::uint32_t> placed_markers_;
  CRange assigned_;  // the variable that the statement in front of the next trap has left its value in
  std::optional<std::uint32_t> last_in_macro_;  // where the last trap in front of a macro's use stands
  int lambdas_ = 0;                             // of the fragment
  mutable std::optional<LineIndex> lines_;      // made when it is asked for
};

}  // namespace jcprof::rewriter
