/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the trusted application for what RFC 4226 (appendix D) and others have published, and says what differs. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <tee_client_api.h>

#include "hmac_ta.h"

static TEEC_Session session;
static int failures;

static TEEC_Result with_value(uint32_t command, uint32_t a, uint32_t b, uint32_t *out) {
  TEEC_Operation operation = {.paramTypes =
                                  TEEC_PARAM_TYPES(TEEC_VALUE_INPUT, TEEC_VALUE_OUTPUT, TEEC_NONE, TEEC_NONE)};
  operation.params[0].value.a = a;
  operation.params[0].value.b = b;
  const TEEC_Result result = TEEC_InvokeCommand(&session, command, &operation, NULL);
  *out = operation.params[1].value.a;
  return result;
}

static TEEC_Result with_text(uint32_t command, const char *text, uint32_t out_type, uint32_t *out) {
  TEEC_Operation operation = {.paramTypes = TEEC_PARAM_TYPES(TEEC_MEMREF_TEMP_INPUT, out_type, TEEC_NONE, TEEC_NONE)};
  operation.params[0].tmpref.buffer = (void *)text;
  operation.params[0].tmpref.size = strlen(text);
  const TEEC_Result result = TEEC_InvokeCommand(&session, command, &operation, NULL);
  *out = operation.params[1].value.a;
  return result;
}

static void expect(const char *what, TEEC_Result result, TEEC_Result wanted_result, uint32_t value, uint32_t wanted) {
  if (result == wanted_result && (result != TEEC_SUCCESS || value == wanted)) return;
  printf("%s: result 0x%x, value %u; expected 0x%x, %u\n", what, result, value, wanted_result, wanted);
  failures++;
}

static void check_passwords(void) {
  static const uint32_t passwords[] = {755224, 287082, 359152, 969429, 338314,
                                       254676, 287922, 162583, 399871, 520489};
  uint32_t value = 0;
  TEEC_Result result = with_value(HMAC_OTP, 0, 0, &value);
  expect("password without a key", result, TEEC_ERROR_ITEM_NOT_FOUND, 0, 0);
  result = with_text(HMAC_PROVISION, "too short", TEEC_NONE, &value);
  expect("a key of nine bytes", result, TEEC_ERROR_BAD_PARAMETERS, 0, 0);
  result = with_text(HMAC_PROVISION, "12345678901234567890", TEEC_NONE, &value);
  expect("key", result, TEEC_SUCCESS, 0, 0);
  for (uint32_t counter = 0; counter < 10; counter++) {
    result = with_value(HMAC_OTP, 0, counter, &value);
    printf("password %u: %06u\n", counter, value);
    expect("password", result, TEEC_SUCCESS, value, passwords[counter]);
  }
}

int main(void) {
  static const TEEC_UUID uuid = HMAC_TA_UUID;
  TEEC_Context context;
  uint32_t value = 0;
  if (TEEC_InitializeContext(NULL, &context) != TEEC_SUCCESS) return 2;
  TEEC_Result result = TEEC_OpenSession(&context, &session, &uuid, TEEC_LOGIN_PUBLIC, NULL, NULL, NULL);
  if (result != TEEC_SUCCESS) {
    printf("no session: 0x%x\n", result);
    return 2;
  }
  check_passwords();
  result = with_text(HMAC_CHECKSUM, "123456789", TEEC_VALUE_OUTPUT, &value);
  expect("checksum", result, TEEC_SUCCESS, value, 0xcbf43926);
  result = with_value(HMAC_LOOP, 100000, 0, &value);
  expect("loop", result, TEEC_SUCCESS, value, 1669804862);
  TEEC_CloseSession(&session);
  TEEC_FinalizeContext(&context);
  printf(failures == 0 ? "all as published\n" : "%d differ\n", failures);
  return failures != 0;
}
