// flags: -std=c++17
#include <cstdio>

static volatile int device;

static int f(int x) { return x / 3; }

class Sums {
 public:
  Sums(int& out, volatile int& watched) : out_(out), watched_(watched) {}
  int add(int x) {
    total_ = f(x);
    this->total_ += f(3 * x);
    out_ = f(x);
    watched_ = f(x);
    few_ = f(3) & 7;
    packed_.value = f(9);
    return total_;
  }

 private:
  struct __attribute__((packed)) Packed {
    char first;
    int value;
  };
  int total_ = 0;
  int& out_;
  volatile int& watched_;
  int few_ : 4;
  Packed packed_{};
};

struct Base {
  int value = 0;
};
struct Derived : Base {};

static Derived objects[3];
static int calls;

static Derived* next() { return &objects[++calls]; }
static int advanced(Derived*& at) { return (++at)->value; }

static void again() {
  next()->Base::value = f(3);
  Derived* at = objects;
  at->Base::value = f(6);
  at->value = advanced(at);
  *(calls > 5 ? &calls : &at->value) = f(9);
}

int main() {
  again();
  volatile int& watched = device;
  int value = 0;
  int& plain = value;
  watched = f(9);
  plain = f(30);
  std::printf("%d %d %d\n", watched, plain, calls);
  std::printf("%d\n", Sums(value, watched).add(12));
}
