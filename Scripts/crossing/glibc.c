// SPDX-License-Identifier: GPL-3.0-or-later

// What a runtime that was built with glibc 2.38 or newer asks of an older one: the functions of the C23 standard, which
// also read binary numbers ("0b11"), but here read numbers as before; and the BSD functions for strings. The linker takes
// those that the runtime asks for.

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

// By their symbols, because the headers of a newer glibc replace the names by those below.
long plain_strtol(const char *text, char **end, int base) __asm__("strtol");
long long plain_strtoll(const char *text, char **end, int base) __asm__("strtoll");
unsigned long plain_strtoul(const char *text, char **end, int base) __asm__("strtoul");
unsigned long long plain_strtoull(const char *text, char **end, int base) __asm__("strtoull");
int plain_vsscanf(const char *text, const char *format, va_list arguments) __asm__("vsscanf");

long __isoc23_strtol(const char *text, char **end, int base) { return plain_strtol(text, end, base); }

long long __isoc23_strtoll(const char *text, char **end, int base) { return plain_strtoll(text, end, base); }

unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return plain_strtoul(text, end, base); }

unsigned long long __isoc23_strtoull(const char *text, char **end, int base) { return plain_strtoull(text, end, base); }

int __isoc23_sscanf(const char *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = plain_vsscanf(text, format, arguments);
  va_end(arguments);
  return count;
}

size_t strlcpy(char *target, const char *source, size_t size) {
  size_t length = strlen(source);
  if (size > 0) {
    size_t count = length < size ? length : size - 1;
    memcpy(target, source, count);
    target[count] = 0;
  }
  return length;
}

size_t strlcat(char *target, const char *source, size_t size) {
  size_t length = strnlen(target, size);
  return length + strlcpy(target + length, source, size - length);
}
