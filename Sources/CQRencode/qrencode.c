// SPDX-License-Identifier: GPL-3.0-or-later

#include "CQRencode.h"

#include <qrencode.h>

int cqrencode_modules(const char *text, uint8_t *modules, int count) {
  QRcode *code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1);
  if (code == 0) return 0;
  int width = code->width * code->width <= count ? code->width : 0;
  for (int index = 0; index < width * width; index++) modules[index] = code->data[index] & 1;
  QRcode_free(code);
  return width;
}
