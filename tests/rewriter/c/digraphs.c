/* flags: -std=c99 -trigraphs -Wno-trigraphs */
#include <stdio.h>

static int whole(int n) <%
  n++;
  return n;
%>

static int half(int n) {
  n++;
  return n;
%>

static int parts(int n) {
  int a<:2:> = <%1, 2%>;
  if (n > 1) <%
    n += a<:0:>;
    n *= 2;
  %>
  while (n > 40) <% n -= 7; %>
  return n;
}

static int three(int n) ??<
  return n + 3;
??>

int main(void) {
  printf("%d %d %d %d\n", whole(1), half(2), parts(30), three(4));
  return 0;
}
