// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#include "CBluetooth.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <bluetooth/l2cap.h>

#ifndef SO_MEMINFO
#define SO_MEMINFO 55
#endif

const uint32_t cbluetooth_flag_up = 1u << HCI_UP;
const uint8_t cbluetooth_bus_usb = HCI_USB;

int cbluetooth_socket(void) {
  return socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_HCI);
}

static uint64_t address_bits(const bdaddr_t *address) {
  uint64_t bits = 0;
  for (int index = 5; index >= 0; index--) bits = bits << 8 | address->b[index];
  return bits;
}

int cbluetooth_adapters(int socket, struct cbluetooth_adapter *adapters) {
  struct {
    struct hci_dev_list_req head;
    struct hci_dev_req entries[CBLUETOOTH_ADAPTERS_MAX];
  } list;
  memset(&list, 0, sizeof list);
  list.head.dev_num = CBLUETOOTH_ADAPTERS_MAX;
  if (ioctl(socket, HCIGETDEVLIST, &list) < 0) return -1;
  int count = 0;
  for (int index = 0; index < list.head.dev_num && index < CBLUETOOTH_ADAPTERS_MAX; index++) {
    struct hci_dev_info info = {.dev_id = list.entries[index].dev_id};
    // It may have been removed since.
    if (ioctl(socket, HCIGETDEVINFO, &info) < 0) continue;
    adapters[count++] = (struct cbluetooth_adapter){
        .index = info.dev_id,
        .address = address_bits(&info.bdaddr),
        .flags = info.flags,
        .bus = info.type & 0x0f,
    };
  }
  return count;
}

// Whether the first character of the file is a 1.
static int is_set(int folder, const char *name, const char *file) {
  char path[64], byte = 0;
  if (snprintf(path, sizeof path, "%s/%s", name, file) >= (int)sizeof path) return 0;
  int descriptor = openat(folder, path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  ssize_t count = read(descriptor, &byte, 1);
  close(descriptor);
  return count == 1 && byte == '1';
}

int cbluetooth_is_blocked(uint16_t index) {
  char path[48];
  snprintf(path, sizeof path, "/sys/class/bluetooth/hci%u", index);
  DIR *folder = opendir(path);
  if (!folder) return 0;
  int blocked = 0;
  for (struct dirent *entry; !blocked && (entry = readdir(folder));) {
    if (strncmp(entry->d_name, "rfkill", 6) != 0) continue;
    blocked = is_set(dirfd(folder), entry->d_name, "soft") || is_set(dirfd(folder), entry->d_name, "hard");
  }
  closedir(folder);
  return blocked;
}

int cbluetooth_up(int socket, uint16_t index) { return ioctl(socket, HCIDEVUP, (unsigned long)index); }

int cbluetooth_down(int socket, uint16_t index) { return ioctl(socket, HCIDEVDOWN, (unsigned long)index); }

int cbluetooth_reset(int socket, uint16_t index) { return ioctl(socket, HCIDEVRESET, (unsigned long)index); }

static int bind_channel(int socket, uint16_t index, uint16_t channel) {
  struct sockaddr_hci address = {.hci_family = AF_BLUETOOTH, .hci_dev = index, .hci_channel = channel};
  return bind(socket, (struct sockaddr *)&address, sizeof address);
}

int cbluetooth_bind_user(int socket, uint16_t index) {
  int yes = 1;
  if (setsockopt(socket, SOL_SOCKET, SO_TIMESTAMP, &yes, sizeof yes) < 0) return -1;
  return bind_channel(socket, index, HCI_CHANNEL_USER);
}

int cbluetooth_bind_raw(int socket, uint16_t index) {
  struct hci_filter filter;
  hci_filter_clear(&filter);
  hci_filter_set_ptype(HCI_EVENT_PKT, &filter);
  hci_filter_set_event(EVT_LE_META_EVENT, &filter);
  hci_filter_set_event(EVT_HARDWARE_ERROR, &filter);
  hci_filter_set_event(EVT_CMD_COMPLETE, &filter);
  hci_filter_set_event(EVT_CMD_STATUS, &filter);
  int yes = 1;
  if (bind_channel(socket, index, HCI_CHANNEL_RAW) < 0) return -1;
  if (setsockopt(socket, SOL_HCI, HCI_TIME_STAMP, &yes, sizeof yes) < 0) return -1;
  return setsockopt(socket, SOL_HCI, HCI_FILTER, &filter, sizeof filter);
}

int cbluetooth_bind_mgmt(int socket) {
  // An event begins with its code, least significant byte first; the filter loads it the other way round.
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x1200, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x2f00, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x3000, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
      BPF_STMT(BPF_RET | BPF_K, 0),
  };
  struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};
  if (setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) < 0) return -1;
  return bind_channel(socket, HCI_DEV_NONE, HCI_CHANNEL_CONTROL);
}

int cbluetooth_att_socket(void) {
  return socket(AF_BLUETOOTH, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_L2CAP);
}

// The fixed channel of the Attribute Protocol (Core Specification 5.4, Volume 3, Part A, 2.1).
enum { ATT_CHANNEL = 4 };

static struct sockaddr_l2 att_address(uint64_t bits, int is_random) {
  struct sockaddr_l2 address = {
      .l2_family = AF_BLUETOOTH,
      .l2_cid = htobs(ATT_CHANNEL),
      .l2_bdaddr_type = is_random ? BDADDR_LE_RANDOM : BDADDR_LE_PUBLIC,
  };
  for (int index = 0; index < 6; index++) address.l2_bdaddr.b[index] = (uint8_t)(bits >> 8 * index);
  return address;
}

int cbluetooth_att_connect(int socket, uint64_t adapter, uint64_t device, int is_random, uint8_t level) {
  struct sockaddr_l2 from = att_address(adapter, 0), to = att_address(device, is_random);
  if (bind(socket, (struct sockaddr *)&from, sizeof from) < 0) return -1;
  struct bt_security security = {.level = level};
  if (setsockopt(socket, SOL_BLUETOOTH, BT_SECURITY, &security, sizeof security) < 0) return -1;
  return connect(socket, (struct sockaddr *)&to, sizeof to);
}

int cbluetooth_att_security(int socket, uint8_t *level, uint8_t *key_byte_count) {
  struct bt_security security = {0};
  socklen_t length = sizeof security;
  if (getsockopt(socket, SOL_BLUETOOTH, BT_SECURITY, &security, &length) < 0) return -1;
  *level = security.level;
  *key_byte_count = security.key_size;
  return 0;
}

static int64_t microseconds(const void *data) {
  struct timeval time;
  memcpy(&time, data, sizeof time);
  return (int64_t)time.tv_sec * 1000000 + time.tv_usec;
}

static void read_stamp(struct msghdr *message, int64_t *stamp) {
  for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
    if (part->cmsg_len < CMSG_LEN(sizeof(struct timeval))) continue;
    if ((part->cmsg_level == SOL_HCI && part->cmsg_type == HCI_CMSG_TSTAMP) ||
        (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_TIMESTAMP)) {
      *stamp = microseconds(CMSG_DATA(part));
    }
  }
}

/// Space for a time stamp and the other control messages.
union stamp_room {
  struct cmsghdr head;
  char bytes[CMSG_SPACE(sizeof(struct timeval)) + CMSG_SPACE(sizeof(int))];
};

struct cbluetooth_batch {
  struct mmsghdr messages[CBLUETOOTH_BATCH_MAX];
  struct iovec buffers[CBLUETOOTH_BATCH_MAX];
  union stamp_room stamps[CBLUETOOTH_BATCH_MAX];
  unsigned char bytes[CBLUETOOTH_BATCH_MAX][CBLUETOOTH_PACKET_MAX];
};

struct cbluetooth_batch *cbluetooth_batch_create(void) {
  struct cbluetooth_batch *batch = calloc(1, sizeof *batch);
  if (!batch) return NULL;
  for (int index = 0; index < CBLUETOOTH_BATCH_MAX; index++) {
    batch->buffers[index] = (struct iovec){.iov_base = batch->bytes[index], .iov_len = CBLUETOOTH_PACKET_MAX};
    batch->messages[index].msg_hdr.msg_iov = &batch->buffers[index];
    batch->messages[index].msg_hdr.msg_iovlen = 1;
    batch->messages[index].msg_hdr.msg_control = &batch->stamps[index];
  }
  return batch;
}

void cbluetooth_batch_destroy(struct cbluetooth_batch *batch) { free(batch); }

int cbluetooth_batch_receive(struct cbluetooth_batch *batch, int socket, int stamped) {
  for (int index = 0; index < CBLUETOOTH_BATCH_MAX; index++) {
    batch->messages[index].msg_hdr.msg_controllen = index < stamped ? sizeof batch->stamps[index] : 0;
  }
  return recvmmsg(socket, batch->messages, CBLUETOOTH_BATCH_MAX, 0, NULL);
}

int64_t cbluetooth_batch_stamp(struct cbluetooth_batch *batch, int index) {
  int64_t stamp = 0;
  struct msghdr *message = &batch->messages[index].msg_hdr;
  if (message->msg_controllen > 0) read_stamp(message, &stamp);
  return stamp;
}

const void *cbluetooth_batch_packet(const struct cbluetooth_batch *batch, int index, size_t *count) {
  *count = batch->messages[index].msg_len;
  return batch->bytes[index];
}

int cbluetooth_receive_buffer(int socket, int count) {
  if (setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &count, sizeof count) < 0 &&
      setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &count, sizeof count) < 0) {
    return -1;
  }
  int room = 0;
  socklen_t length = sizeof room;
  return getsockopt(socket, SOL_SOCKET, SO_RCVBUF, &room, &length) < 0 ? -1 : room;
}

int cbluetooth_set_filter(int socket, const uint64_t *instructions, uint16_t count) {
  struct sock_filter code[BPF_MAXINSNS];
  if (count > BPF_MAXINSNS) {
    errno = EINVAL;
    return -1;
  }
  if (count == 0) {
    int none = 0;
    return setsockopt(socket, SOL_SOCKET, SO_DETACH_FILTER, &none, sizeof none) < 0 && errno != ENOENT ? -1 : 0;
  }
  for (int i = 0; i < count; i++) {
    uint64_t word = instructions[i];
    code[i] = (struct sock_filter){(uint16_t)word, (uint8_t)(word >> 16), (uint8_t)(word >> 24), (uint32_t)(word >> 32)};
  }
  struct sock_fprog program = {.len = count, .filter = code};
  return setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

int cbluetooth_drops(int socket, uint32_t *count) {
  uint32_t figures[SK_MEMINFO_VARS] = {0};
  socklen_t length = sizeof figures;
  if (getsockopt(socket, SOL_SOCKET, SO_MEMINFO, figures, &length) < 0) return -1;
  // A kernel older than the counter returns fewer bytes.
  if (length < sizeof figures) {
    errno = ENOPROTOOPT;
    return -1;
  }
  *count = figures[SK_MEMINFO_DROPS];
  return 0;
}
