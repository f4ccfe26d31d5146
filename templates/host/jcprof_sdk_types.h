/* SPDX-License-Identifier: Apache-2.0 */
/* Like jcprof_sdk.h, for the values that identify an enclave. Their sizes are the SDK's. */
#ifndef JCPROF_SDK_TYPES_H
#define JCPROF_SDK_TYPES_H

#include <stdint.h>

/* ---- sgx_attributes.h ---- */

#define SGX_FLAGS_INITTED ((uint64_t)0x001)
#define SGX_FLAGS_DEBUG ((uint64_t)0x002)
#define SGX_FLAGS_MODE64BIT ((uint64_t)0x004)
#define SGX_FLAGS_PROVISION_KEY ((uint64_t)0x010)
#define SGX_FLAGS_EINITTOKEN_KEY ((uint64_t)0x020)
#define SGX_FLAGS_KSS ((uint64_t)0x080)
#define SGX_FLAGS_AEX_NOTIFY ((uint64_t)0x400)

typedef struct { uint64_t flags, xfrm; } sgx_attributes_t;
typedef uint32_t sgx_misc_select_t;
typedef struct _sgx_misc_attribute_t {
  sgx_attributes_t secs_attr;
  sgx_misc_select_t misc_select;
} sgx_misc_attribute_t;

/* ---- sgx_key.h ---- */

#define SGX_KEYSELECT_EINITTOKEN 0
#define SGX_KEYSELECT_PROVISION 1
#define SGX_KEYSELECT_PROVISION_SEAL 2
#define SGX_KEYSELECT_REPORT 3
#define SGX_KEYSELECT_SEAL 4
#define SGX_KEYPOLICY_MRENCLAVE 0x01
#define SGX_KEYPOLICY_MRSIGNER 0x02
#define SGX_KEYPOLICY_NOISVPRODID 0x04
#define SGX_KEYPOLICY_CONFIGID 0x08
#define SGX_KEYPOLICY_ISVFAMILYID 0x10
#define SGX_KEYPOLICY_ISVEXTPRODID 0x20
#define SGX_KEYID_SIZE 32
#define SGX_CPUSVN_SIZE 16
#define SGX_CONFIGID_SIZE 64

typedef uint8_t sgx_key_128bit_t[16];
typedef uint16_t sgx_isv_svn_t;
typedef uint16_t sgx_config_svn_t;
typedef uint8_t sgx_config_id_t[SGX_CONFIGID_SIZE];
typedef struct { uint8_t svn[SGX_CPUSVN_SIZE]; } sgx_cpu_svn_t;
typedef struct { uint8_t id[SGX_KEYID_SIZE]; } sgx_key_id_t;
typedef struct {
  uint16_t key_name;
  uint16_t key_policy;
  sgx_isv_svn_t isv_svn;
  uint16_t reserved1;
  sgx_cpu_svn_t cpu_svn;
  sgx_attributes_t attribute_mask;
  sgx_key_id_t key_id;
  sgx_misc_select_t misc_mask;
  sgx_config_svn_t config_svn;
  uint8_t reserved2[434];
} sgx_key_request_t;

/* ---- sgx_report.h ---- */

#define SGX_HASH_SIZE 32
#define SGX_MAC_SIZE 16
#define SGX_REPORT_DATA_SIZE 64

typedef struct { uint8_t m[SGX_HASH_SIZE]; } sgx_measurement_t;
typedef uint8_t sgx_mac_t[SGX_MAC_SIZE];
typedef struct { uint8_t d[SGX_REPORT_DATA_SIZE]; } sgx_report_data_t;
typedef uint16_t sgx_prod_id_t;
typedef uint8_t sgx_isvext_prod_id_t[16];
typedef uint8_t sgx_isvfamily_id_t[16];
typedef struct {
  sgx_measurement_t mr_enclave;
  sgx_attributes_t attributes;
  uint8_t reserved1[2];
  sgx_config_svn_t config_svn;
  sgx_misc_select_t misc_select;
  uint8_t reserved2[8];
  sgx_config_id_t config_id;
  uint8_t reserved3[384];
} sgx_target_info_t;
typedef struct {
  sgx_cpu_svn_t cpu_svn;
  sgx_misc_select_t misc_select;
  uint8_t reserved1[12];
  sgx_isvext_prod_id_t isv_ext_prod_id;
  sgx_attributes_t attributes;
  sgx_measurement_t mr_enclave;
  uint8_t reserved2[32];
  sgx_measurement_t mr_signer;
  uint8_t reserved3[32];
  sgx_config_id_t config_id;
  sgx_prod_id_t isv_prod_id;
  sgx_isv_svn_t isv_svn;
  sgx_config_svn_t config_svn;
  uint8_t reserved4[42];
  sgx_isvfamily_id_t isv_family_id;
  sgx_report_data_t report_data;
} sgx_report_body_t;
typedef struct {
  sgx_report_body_t body;
  sgx_key_id_t key_id;
  sgx_mac_t mac;
} sgx_report_t;

#endif
