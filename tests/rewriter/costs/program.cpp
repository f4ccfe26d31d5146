// Each construct by which something runs where no statement stands.
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "steps.h"

#define RETURN_IF(condition, value) \
  if (condition) return value

static void fill() {
  const Costly local("fill", 1);
  step("fill", 2);
}
static int early(int n) {
  const Costly outer("early", 3);
  for (int i = 0; i < 3; ++i) {
    const Costly inner("early", 4);
    if (i == n) return step("early", 5);
  }
  return 0;
}
static int temporary(int n) {
  const Costly& kept = Costly("temporary", n);
  return kept.steps + Costly("temporary", 6).steps;
}
static int given(int n, const Costly& value = Costly("default_argument", 7)) {
  return step("given", n) + value.steps;
}
static int default_argument() {
  return given(2);
}
static int taken(Costly value) {
  return step("taken", value.steps);
}
static int by_value() {
  step("by_value", 1);
  return taken(Costly("by_value", 8));
}
static int parts() {
  const auto [first, second] = std::pair<Costly, int>(Costly("parts", 9), 2);
  return first.steps + second;
}
struct Several {
  Costly all[2];
  const Costly* begin() const { return all; }
  const Costly* end() const { return all + 2; }
};
static int over_temporary() {
  const std::tuple<int, Costly> held(1, Costly("over_temporary", 1));
  for (const Costly& one : Several{{Costly("over_temporary", 1), Costly("over_temporary", 2)}})
    if (one.steps == 2) return step("over_temporary", 3) + std::get<0>(held);
  return 0;
}
static int hidden(int n) {
  RETURN_IF(n > 1, step("hidden", n));
  return 0;
}
static int throws(int n) {
  const Costly local("throws", n);
  if (n > 2) throw std::runtime_error("thrown");
  return step("throws", 2);
}
static int passes_on(int n) {
  const Costly local("passes_on", n);
  return throws(n) + step("passes_on", 1);
}
static int catches(int n) {
  try {
    return passes_on(n);
  } catch (const std::runtime_error&) {
    step("catches", 5);
    return 3;
  }
}
static int recursive(int n) {
  const Costly local("recursive", n);
  if (n == 0) return step("recursive", 1);
  return recursive(n - 1) + step("recursive", 1);
}
static int recursive_catch(int n) {
  const Costly local("recursive_catch", n);
  if (n == 0) throw n;
  try {
    return recursive_catch(n - 1);
  } catch (int) {
    step("recursive_catch", 3);
    if (n == 1) throw;
  }
  step("recursive_catch", 1);
  return n;
}
template <class T>
int twice(const T& value) {
  const T local("twice", value.steps);
  return step("twice", 1) + local.steps;
}
static int quiet() noexcept {
  const Costly local("quiet", 2);
  return catches(4);
}
static int with_lambda() {
  const auto work = [](int n) {
    const Costly local("with_lambda::lambda$1", n);
    return step("with_lambda::lambda$1", 1);
  };
  return work(2) + step("with_lambda", 1);
}

struct Traced {
  explicit Traced(int n) : steps(step("Traced::Traced", n)) {}
  ~Traced() {
    const Costly local("Traced::~Traced", 1);
    step("Traced::~Traced", steps);
  }
  int steps;
};
static void owns() {
  const Traced one(2), two(3);
  step("owns", 4);
}
struct Based : Traced {
  explicit Based(int n)
      : Traced(step("Based::Based", n)), first(step("Based::Based", 3)), second("Based::Based", 4) {
    step("Based::Based", 5);
  }
  int first;
  Costly second;
};
struct Named {
  explicit Named(int n) : cheap(n), costly("Named::Named", 3), listed{Costly("Named::Named", 1)} {
    const Costly local("Named::Named", 2);
  }
  int cheap;
  Costly costly;
  std::vector<Costly> listed;
};
struct Delegating {
  Delegating(int n, int m) : total(step("Delegating::Delegating(int,int)", n + m)) {}
  Delegating() : Delegating(step("Delegating::Delegating()", 2), 3) { step("Delegating::Delegating()", 1); }
  int total;
};
static void constructs() {
  const Based* const based = new Based(2);  // what is destroyed is not its constructor's
  const Named* const named = new Named(1);
  step("constructs", named->cheap + based->first);
  const Delegating delegating;
  step("constructs", delegating.total);
}

int main() {
  fill();
  step("main", early(1) + temporary(2) + default_argument() + by_value() + parts());
  step("main", over_temporary() + hidden(1) + hidden(2) + catches(1) + catches(4) + recursive(2));
  step("main", recursive_catch(3) + twice(Costly("main", 2)) + quiet() + with_lambda());
  owns();
  constructs();
  step("main", 1);
  print_truth();
  return 0;
}
