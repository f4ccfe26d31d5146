#include <cstdio>
#include <stdexcept>

static int throws(int x) {
  if (x > 1) throw std::runtime_error("more than one");
  return x;
}

static int tries(int x) {
  try {
    x = throws(x);
  } catch (const std::runtime_error& e) {
    std::printf("%s ", e.what());
    x = -1;
  } catch (...) {
  }
  try {
    try {
      throw x;
    } catch (int) {
      throw;
    }
  } catch (...) {
    return throws(0);
  }
  return 1;
}

static int function_try(int x) try {
  return throws(x);
} catch (const std::exception&) {
  return 8;
} catch (...) {
  return 9;
}

struct Guarded {
  explicit Guarded(int x) try : value(throws(x)) {
    value++;
  } catch (...) {
    std::printf("guarded ");
  }
  int value;
};

int main() {
  try {
    Guarded one(1), two(2);
  } catch (...) {
    std::printf("caught ");
  }
  std::printf("%d %d %d\n", tries(1), tries(2), function_try(2));
}
