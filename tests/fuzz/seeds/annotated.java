class A { // jcprof: no room for a comment at line 3 (a literal goes on) (gd60,1501017019581)
  String s = """
    a \""" 'b' "c" /* d // e
    """; // < 0.3 ms ×1 (gd60,1501017019581)
  char c = '\''; // 40.2 ms ±0.3 (31.4 %) ×50, 0.80 ms each (gd60,1501017019581)
  int d = R"x(1)x" + 1'000; \
  f(); // not reached (jcardsim simulated,0)
}
