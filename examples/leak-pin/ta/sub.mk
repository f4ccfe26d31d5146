srcs-y += leak_ta.c
srcs_ext-y += pin.c
srcs_ext_base-y := ../c
cflags-y += -I../c -DTABLE_BITS=10
