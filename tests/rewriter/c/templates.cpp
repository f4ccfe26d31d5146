#include <cstdio>

template <class T>
struct Box {
  explicit Box(T x) : value(x) {}
  T get() const {
    T copy = value;
    copy += 1;
    return copy;
  }
  template <class U>
  U as(U factor) const {
    if constexpr (sizeof(U) > 4) {
      return factor + static_cast<U>(value);
    } else if constexpr (sizeof(U) > 2)
      return factor * static_cast<U>(value);
    else
      return factor;
  }
  T value;
};

template <>
struct Box<int*> {
  int get() const { return *value; }
  int* value;
};

template <class T>
auto sum(T first) noexcept -> decltype(first + 1) {
  return first + 1;
}
template <class T, class... Rest>
auto sum(T first, Rest... rest) {
  return first + sum(rest...);
}
template <>
auto sum<char>(char first) noexcept -> decltype(first + 1) {
  return first + 2;
}

int main() {
  int seven = 7;
  Box<int> box(3);
  std::printf("%d %g %d %d ", box.get(), box.as(2.0), box.as(5), static_cast<int>(box.as('a')));
  std::printf("%d %d\n", Box<int*>{&seven}.get(), static_cast<int>(sum(1, 2L, 'c')));
}
