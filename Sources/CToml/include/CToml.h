// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef CTOML_H
#define CTOML_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parsed TOML text (TOML 1.0.0), or the reason why it is none. ctoml_parse creates it, ctoml_free frees it.
typedef struct ctoml_document ctoml_document;

/// The type of a node.
typedef enum {
  CTOML_TABLE = 0,
  CTOML_ARRAY = 1,
  CTOML_STRING = 2,
  CTOML_INTEGER = 3,
  CTOML_FLOAT = 4,
  CTOML_BOOLEAN = 5,
  CTOML_DATE_TIME = 6,
} ctoml_kind;

/// One node. `key` and `text` point into the document, are not terminated, and may hold any UTF-8, NUL included.
typedef struct {
  ctoml_kind kind;
  /// The line of the node's key, or of the node itself when it has none; counted from 1.
  uint32_t line;
  /// Tables and arrays: how many nodes follow as children, each followed by its own children.
  uint32_t child_count;
  /// Integers, and booleans as 0 or 1.
  int64_t integer;
  const uint8_t *key;
  size_t key_byte_count;
  const uint8_t *text;
  size_t text_byte_count;
} ctoml_node;

/// Why a text is not TOML.
typedef struct {
  uint32_t line;
  const uint8_t *message;
  size_t message_byte_count;
} ctoml_error;

/// Parses UTF-8 text. Never throws; returns NULL only when memory runs out.
ctoml_document *ctoml_parse(const uint8_t *text, size_t byte_count);

/// The number of nodes in depth-first order, children in the order of their places in the text; the root table is
/// node 0. Zero when the text is not TOML.
size_t ctoml_node_count(const ctoml_document *document);

/// Node `index`, which must be less than the count.
ctoml_node ctoml_node_at(const ctoml_document *document, size_t index);

/// Why the text is not TOML; meaningful when the node count is zero.
ctoml_error ctoml_syntax_error(const ctoml_document *document);

/// Ends a document and everything its nodes point to.
void ctoml_free(ctoml_document *document);

#ifdef __cplusplus
}
#endif

#endif
