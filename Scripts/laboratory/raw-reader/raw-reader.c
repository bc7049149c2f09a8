// SPDX-License-Identifier: GPL-3.0-or-later
//
// raw-reader N [filtered]: reads the advertising reports of the adapter hciN, whose scan another program has started, and
// does nothing with them but count. When something has come it waits 20 ms, and reads everything, up to 64 packets in a
// call. With "filtered" it has the kernel drop the reports that an agent's filter drops: of devices that are not wanted, all
// but one in 64. It prints how many reports there were at SIGUSR1, and at SIGTERM, which ends it. No program that receives
// as much through a socket can cost much less.

#define _GNU_SOURCE
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <linux/filter.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { PACKETS = 64, PACKET_BYTES = 260 };

static volatile sig_atomic_t has_ended, is_asked;

static void end(int signal) {
  (void)signal;
  has_ended = 1;
}

static void ask(int signal) {
  (void)signal;
  is_asked = 1;
}

static void die(const char *what) {
  perror(what);
  exit(1);
}

static int open_channel(int adapter) {
  struct sockaddr_hci address = {.hci_family = AF_BLUETOOTH, .hci_dev = adapter, .hci_channel = HCI_CHANNEL_RAW};
  struct hci_filter filter;
  int channel = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC, BTPROTO_HCI);
  if (channel < 0) die("raw-reader: the socket");
  hci_filter_clear(&filter);
  hci_filter_set_ptype(HCI_EVENT_PKT, &filter);
  hci_filter_set_event(EVT_LE_META_EVENT, &filter);
  if (setsockopt(channel, SOL_HCI, HCI_FILTER, &filter, sizeof filter) < 0) die("raw-reader: the filter");
  if (bind(channel, (struct sockaddr *)&address, sizeof address) < 0) die("raw-reader: the adapter");
  return channel;
}

// The reports of a load have flags, and then manufacturer data: its company, 0x0EEE in Little Endian, is at byte 19.
static void drop_others(int channel) {
  struct sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 19),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xEE0E, 2, 0),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)(SKF_AD_OFF + SKF_AD_RANDOM)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 63, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, 0xFFFFFFFF),
      BPF_STMT(BPF_RET | BPF_K, 0),
  };
  struct sock_fprog filter = {sizeof program / sizeof program[0], program};
  if (setsockopt(channel, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) < 0) die("raw-reader: the program");
}

// Core Specification 5.4, Volume 4, Part E, 7.7.65.2 and 7.7.65.13: after the packet's kind, event code and length come
// the kind of event and the number of reports.
static long count_reports(const unsigned char *packet, unsigned length) {
  return length > 4 && (packet[3] == 0x02 || packet[3] == 0x0D) ? packet[4] : 0;
}

int main(int count, char **arguments) {
  static unsigned char packets[PACKETS][PACKET_BYTES];
  static struct iovec pieces[PACKETS];
  static struct mmsghdr messages[PACKETS];
  const struct timespec pause = {.tv_nsec = 20000000};
  long reports = 0;
  struct pollfd arrival = {.events = POLLIN};
  int channel, received;
  if (count < 2 || count > 3 || (count == 3 && strcmp(arguments[2], "filtered") != 0)) return 64;
  signal(SIGTERM, end);
  signal(SIGUSR1, ask);
  for (int index = 0; index < PACKETS; index++) {
    pieces[index] = (struct iovec){packets[index], PACKET_BYTES};
    messages[index].msg_hdr = (struct msghdr){.msg_iov = &pieces[index], .msg_iovlen = 1};
  }
  channel = open_channel(atoi(arguments[1]));
  if (count == 3) drop_others(channel);
  arrival.fd = channel;
  printf("reads\n");
  fflush(stdout);
  while (!has_ended) {
    if (poll(&arrival, 1, -1) > 0) nanosleep(&pause, NULL);
    do {
      received = recvmmsg(channel, messages, PACKETS, MSG_DONTWAIT, NULL);
      for (int index = 0; index < received; index++) reports += count_reports(packets[index], messages[index].msg_len);
    } while (received == PACKETS);
    if (is_asked) {
      is_asked = 0;
      printf("%ld\n", reports);
      fflush(stdout);
    }
  }
  printf("%ld\n", reports);
  return 0;
}
