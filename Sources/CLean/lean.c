// SPDX-License-Identifier: GPL-3.0-or-later

// In a release the tool has no Foundation, which would be half of it. swift-argument-parser asks for Foundation in two
// places: whether an error describes itself as Foundation's do, and for --experimental-dump-help. These symbols take their
// place: no error does, and the option says that it is not here.
//
// They are weak: where the parser needs more of Foundation, in another version, the linker takes all of Foundation, and
// these have no effect. Scripts/packaging/thresholds then shows it.

#ifdef LEAN

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

#define WEAK(name, symbol) __attribute__((weak)) void name(void) __asm__(symbol)

// JSONEncoder's type: the parser asks for it before it uses anything else of the encoder.
WEAK(encoder_type, "$s20FoundationEssentials11JSONEncoderCMa");
void encoder_type(void) {
  fputs("accessoryctl: --experimental-dump-help exists only in debug builds, because the encoder that it needs is half as "
        "large as the tool: swift run accessoryctl --experimental-dump-help\n", stderr);
  exit(EX_USAGE);
}

// JSONEncoder.init(), its output formats, and String.init(data:encoding:) with its encoding.
WEAK(encoder_init, "$s20FoundationEssentials11JSONEncoderCACycfc");
WEAK(sorted_keys, "$s20FoundationEssentials11JSONEncoderC16OutputFormattingV10sortedKeysAEvau");
WEAK(pretty_printed, "$s20FoundationEssentials11JSONEncoderC16OutputFormattingV13prettyPrintedAEvau");
WEAK(string_init, "$sSS20FoundationEssentialsE4data8encodingSSSgAA4DataVh_SSAAE8EncodingVtcfC");
WEAK(utf8, "$sSS20FoundationEssentialsE8EncodingV4utf8ACvau");
void encoder_init(void) { abort(); }
void sorted_keys(void) { abort(); }
void pretty_printed(void) { abort(); }
void string_init(void) { abort(); }
void utf8(void) { abort(); }

// The protocol LocalizedError, as the ABI describes one (TargetProtocolDescriptor), without requirements: nothing conforms
// to it.
__asm__(
  ".section .rodata\n"
  ".balign 4\n"
  "module_name: .asciz \"FoundationEssentials\"\n"
  "protocol_name: .asciz \"LocalizedError\"\n"
  ".balign 4\n"
  "module:\n"
  ".long 0x40\n"                // a module, unique
  ".long 0\n"                   // within nothing
  ".long module_name - .\n"
  ".weak \"$s20FoundationEssentials14LocalizedErrorMp\"\n"
  ".type \"$s20FoundationEssentials14LocalizedErrorMp\", %object\n"
  ".size \"$s20FoundationEssentials14LocalizedErrorMp\", 24\n"
  "\"$s20FoundationEssentials14LocalizedErrorMp\":\n"
  ".long 0x10043\n"             // a protocol, unique, not of classes only
  ".long module - .\n"
  ".long protocol_name - .\n"
  ".long 0\n"                   // no requirements of its signature
  ".long 0\n"                   // no other requirements
  ".long 0\n"                   // no associated types
  ".text\n");

// The parser can run asynchronous commands, for which Swift's runtime asks for Dispatch. The tool has none, so that nothing
// calls these. As above, Dispatch takes their place where the runtime needs more of it.
#define ABSENT(name) __attribute__((weak)) void name(void) { abort(); }
ABSENT(_dispatch_main_q)
ABSENT(_dispatch_queue_attr_concurrent)
ABSENT(_dispatch_source_type_timer)
ABSENT(dispatch_activate)
ABSENT(dispatch_after_f)
ABSENT(dispatch_assert_queue)
ABSENT(dispatch_async_f)
ABSENT(dispatch_main)
ABSENT(dispatch_queue_attr_make_with_qos_class)
ABSENT(dispatch_queue_create)
ABSENT(dispatch_queue_set_width)
ABSENT(dispatch_release)
ABSENT(dispatch_set_context)
ABSENT(dispatch_source_create)
ABSENT(dispatch_source_set_event_handler_f)
ABSENT(dispatch_source_set_timer)
ABSENT(dispatch_walltime)

// The names of Unicode's characters are half a megabyte of each program, and the versions that brought them 14 kB. None asks
// for these: the linker gives the standard library these functions in place of its own (--wrap in Package.swift), and leaves
// the tables out. No character has a name, or a version.
intptr_t scalar_name(uint32_t scalar, uint8_t *buffer, intptr_t capacity) __asm__("__wrap__swift_stdlib_getScalarName");
intptr_t scalar_name(uint32_t scalar, uint8_t *buffer, intptr_t capacity) {
  (void)scalar, (void)buffer, (void)capacity;
  return 0;
}

uint16_t scalar_age(uint32_t scalar) __asm__("__wrap__swift_stdlib_getAge");
uint16_t scalar_age(uint32_t scalar) {
  (void)scalar;
  return UINT16_MAX;
}

#endif
