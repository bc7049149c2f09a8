// SPDX-License-Identifier: GPL-3.0-or-later
//
// QR codes by libqrencode.

#ifndef C_QRENCODE_H
#define C_QRENCODE_H

#include <stdint.h>

/// Encodes a text, with error correction of level M, into rows of modules, 1 for dark. Returns how many a row has; 0 if
/// they are more than `count` together, or the text is too long.
int cqrencode_modules(const char *text, uint8_t *modules, int count);

#endif
