/* SPDX-License-Identifier: Apache-2.0 */
/* Like jcprof_sdk.h, for reports and for keys that two enclaves agree on. All know the secrets, so anybody can make both. */
#ifndef JCPROF_SDK_ATTEST_H
#define JCPROF_SDK_ATTEST_H

#include "jcprof_sdk_crypto.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sgx_utils.h ---- */

JCPROF_SDK sgx_status_t sgx_get_key(const sgx_key_request_t *request, sgx_key_128bit_t *key) {
  sgx_sha256_hash_t hash;
  if (request == NULL || key == NULL) return SGX_ERROR_INVALID_PARAMETER;
  if (request->key_name > SGX_KEYSELECT_SEAL) return SGX_ERROR_INVALID_KEYNAME;
  sgx_sha256_msg((const uint8_t *)request, sizeof *request, &hash);
  memcpy(*key, hash, sizeof *key);
  return SGX_SUCCESS;
}

JCPROF_SDK void jcprof_sdk_report_mac(const sgx_report_t *report, sgx_mac_t *mac) {
  static const sgx_cmac_128bit_key_t key = {0};
  sgx_rijndael128_cmac_msg(&key, (const uint8_t *)&report->body, sizeof report->body, mac);
}

JCPROF_SDK sgx_status_t sgx_create_report(const sgx_target_info_t *target, const sgx_report_data_t *data,
                                          sgx_report_t *report) {
  (void)target;
  if (report == NULL) return SGX_ERROR_INVALID_PARAMETER;
  memset(report, 0, sizeof *report);
  report->body.attributes.flags = SGX_FLAGS_INITTED | SGX_FLAGS_MODE64BIT;
  if (data != NULL) report->body.report_data = *data;
  jcprof_sdk_report_mac(report, &report->mac);
  return SGX_SUCCESS;
}
JCPROF_SDK const sgx_report_t *sgx_self_report(void) {
  static sgx_report_t report;
  sgx_create_report(NULL, NULL, &report);
  return &report;
}
JCPROF_SDK sgx_status_t sgx_self_target(sgx_target_info_t *target) {
  if (target == NULL) return SGX_ERROR_INVALID_PARAMETER;
  memset(target, 0, sizeof *target);
  target->attributes = sgx_self_report()->body.attributes;
  return SGX_SUCCESS;
}
JCPROF_SDK sgx_status_t sgx_verify_report(const sgx_report_t *report) {
  sgx_mac_t mac;
  if (report == NULL) return SGX_ERROR_INVALID_PARAMETER;
  jcprof_sdk_report_mac(report, &mac);
  return memcmp(mac, report->mac, sizeof mac) == 0 ? SGX_SUCCESS : SGX_ERROR_MAC_MISMATCH;
}

/* ---- sgx_dh.h: the key is a digest of what both sides send ---- */

#define SGX_DH_MAC_SIZE 16
#define SGX_DH_SESSION_DATA_SIZE 200

#pragma pack(push, 1)
typedef struct {
  sgx_ec256_public_t g_a;
  sgx_target_info_t target;
} sgx_dh_msg1_t;
typedef struct {
  sgx_ec256_public_t g_b;
  sgx_report_t report;
  uint8_t cmac[SGX_DH_MAC_SIZE];
} sgx_dh_msg2_t;
typedef struct {
  sgx_report_t report;
  uint32_t additional_prop_length;
} sgx_dh_msg3_body_t;
typedef struct {
  uint8_t cmac[SGX_DH_MAC_SIZE];
  sgx_dh_msg3_body_t msg3_body;
} sgx_dh_msg3_t;
typedef struct {
  sgx_cpu_svn_t cpu_svn;
  sgx_misc_select_t misc_select;
  uint8_t reserved_1[28];
  sgx_attributes_t attributes;
  sgx_measurement_t mr_enclave;
  uint8_t reserved_2[32];
  sgx_measurement_t mr_signer;
  uint8_t reserved_3[96];
  sgx_prod_id_t isv_prod_id;
  sgx_isv_svn_t isv_svn;
} sgx_dh_session_enclave_identity_t;
typedef enum { SGX_DH_SESSION_INITIATOR, SGX_DH_SESSION_RESPONDER } sgx_dh_session_role_t;
typedef struct { uint8_t sgx_dh_session[SGX_DH_SESSION_DATA_SIZE]; } sgx_dh_session_t;
#pragma pack(pop)

/* Lies in the bytes of a session. */
struct jcprof_sdk_dh {
  uint8_t is_responder;
  uint8_t sent; /* messages, of both sides */
  sgx_ec256_public_t sides[2];
};

JCPROF_SDK struct jcprof_sdk_dh *jcprof_sdk_dh_of(sgx_dh_session_t *session, uint8_t is_responder, uint8_t sent) {
  struct jcprof_sdk_dh *const dh = (struct jcprof_sdk_dh *)(void *)session->sgx_dh_session;
  return dh->is_responder == is_responder && dh->sent == sent ? dh : NULL;
}

JCPROF_SDK void jcprof_sdk_dh_key(const struct jcprof_sdk_dh *dh, sgx_key_128bit_t *key) {
  sgx_sha256_hash_t hash;
  sgx_sha256_msg((const uint8_t *)dh->sides, sizeof dh->sides, &hash);
  memcpy(*key, hash, sizeof *key);
}

JCPROF_SDK void jcprof_sdk_dh_mac(const struct jcprof_sdk_dh *dh, const void *bytes, uint32_t size, uint8_t *mac) {
  sgx_key_128bit_t key;
  sgx_cmac_128bit_tag_t tag;
  jcprof_sdk_dh_key(dh, &key);
  sgx_rijndael128_cmac_msg(&key, (const uint8_t *)bytes, size, &tag);
  memcpy(mac, tag, sizeof tag);
}

/* The maker of the report counts as the one that it names. */
JCPROF_SDK sgx_status_t jcprof_sdk_dh_judge(const struct jcprof_sdk_dh *dh, const sgx_report_t *report, const void *bytes,
                                            uint32_t size, const uint8_t *mac, sgx_dh_session_enclave_identity_t *identity) {
  uint8_t right[SGX_DH_MAC_SIZE];
  jcprof_sdk_dh_mac(dh, bytes, size, right);
  if (memcmp(right, mac, sizeof right) != 0) return SGX_ERROR_MAC_MISMATCH;
  memset(identity, 0, sizeof *identity);
  identity->cpu_svn = report->body.cpu_svn;
  identity->misc_select = report->body.misc_select;
  identity->attributes = report->body.attributes;
  identity->mr_enclave = report->body.mr_enclave;
  identity->mr_signer = report->body.mr_signer;
  identity->isv_prod_id = report->body.isv_prod_id;
  identity->isv_svn = report->body.isv_svn;
  return sgx_verify_report(report);
}

JCPROF_SDK sgx_status_t sgx_dh_init_session(sgx_dh_session_role_t role, sgx_dh_session_t *session) {
  if (session == NULL || (role != SGX_DH_SESSION_INITIATOR && role != SGX_DH_SESSION_RESPONDER))
    return SGX_ERROR_INVALID_PARAMETER;
  memset(session, 0, sizeof *session);
  session->sgx_dh_session[0] = role == SGX_DH_SESSION_RESPONDER;
  return SGX_SUCCESS;
}

JCPROF_SDK sgx_status_t sgx_dh_responder_gen_msg1(sgx_dh_msg1_t *msg1, sgx_dh_session_t *session) {
  struct jcprof_sdk_dh *dh;
  if (msg1 == NULL || session == NULL) return SGX_ERROR_INVALID_PARAMETER;
  dh = jcprof_sdk_dh_of(session, 1, 0);
  if (dh == NULL) return SGX_ERROR_INVALID_STATE;
  sgx_read_rand((unsigned char *)&dh->sides[0], sizeof dh->sides[0]);
  dh->sent = 1;
  msg1->g_a = dh->sides[0];
  return sgx_self_target(&msg1->target);
}

JCPROF_SDK sgx_status_t sgx_dh_initiator_proc_msg1(const sgx_dh_msg1_t *msg1, sgx_dh_msg2_t *msg2,
                                                   sgx_dh_session_t *session) {
  struct jcprof_sdk_dh *dh;
  if (msg1 == NULL || msg2 == NULL || session == NULL) return SGX_ERROR_INVALID_PARAMETER;
  dh = jcprof_sdk_dh_of(session, 0, 0);
  if (dh == NULL) return SGX_ERROR_INVALID_STATE;
  dh->sides[0] = msg1->g_a;
  sgx_read_rand((unsigned char *)&dh->sides[1], sizeof dh->sides[1]);
  dh->sent = 2;
  msg2->g_b = dh->sides[1];
  sgx_create_report(&msg1->target, NULL, &msg2->report);
  jcprof_sdk_dh_mac(dh, &msg2->report, sizeof msg2->report, msg2->cmac);
  return SGX_SUCCESS;
}

JCPROF_SDK sgx_status_t sgx_dh_responder_proc_msg2(const sgx_dh_msg2_t *msg2, sgx_dh_msg3_t *msg3,
                                                   sgx_dh_session_t *session, sgx_key_128bit_t *key,
                                                   sgx_dh_session_enclave_identity_t *initiator) {
  struct jcprof_sdk_dh *dh;
  sgx_status_t status;
  if (msg2 == NULL || msg3 == NULL || session == NULL || key == NULL || initiator == NULL)
    return SGX_ERROR_INVALID_PARAMETER;
  dh = jcprof_sdk_dh_of(session, 1, 1);
  if (dh == NULL) return SGX_ERROR_INVALID_STATE;
  dh->sides[1] = msg2->g_b;
  status = jcprof_sdk_dh_judge(dh, &msg2->report, &msg2->report, sizeof msg2->report, msg2->cmac, initiator);
  if (status != SGX_SUCCESS) return status;
  dh->sent = 3;
  sgx_create_report(NULL, NULL, &msg3->msg3_body.report);
  msg3->msg3_body.additional_prop_length = 0;
  jcprof_sdk_dh_mac(dh, &msg3->msg3_body, sizeof msg3->msg3_body, msg3->cmac);
  jcprof_sdk_dh_key(dh, key);
  return SGX_SUCCESS;
}

JCPROF_SDK sgx_status_t sgx_dh_initiator_proc_msg3(const sgx_dh_msg3_t *msg3, sgx_dh_session_t *session,
                                                   sgx_key_128bit_t *key, sgx_dh_session_enclave_identity_t *responder) {
  struct jcprof_sdk_dh *dh;
  sgx_status_t status;
  if (msg3 == NULL || session == NULL || key == NULL || responder == NULL) return SGX_ERROR_INVALID_PARAMETER;
  dh = jcprof_sdk_dh_of(session, 0, 2);
  if (dh == NULL) return SGX_ERROR_INVALID_STATE;
  status = jcprof_sdk_dh_judge(dh, &msg3->msg3_body.report, &msg3->msg3_body, sizeof msg3->msg3_body, msg3->cmac, responder);
  if (status != SGX_SUCCESS) return status;
  dh->sent = 4;
  jcprof_sdk_dh_key(dh, key);
  return SGX_SUCCESS;
}

#ifdef __cplusplus
}
#endif

#endif
