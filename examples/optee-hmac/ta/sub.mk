srcs-y += hmac_ta.c
srcs-y += otp.c
srcs-y += checksum.c
