srcs-y += sums_ta.cpp
