// SPDX-License-Identifier: GPL-3.0-or-later

// toml++ 3.3.0 guards its parser with assertions that some malformed texts reach (`[!a]` is one). A release build
// would compile them out and read out of bounds, so they stay, and throw instead of ending the process.
#undef NDEBUG

#include "CToml.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// Thrown where toml++ would abort.
struct AssertionFailed : std::logic_error {
  using std::logic_error::logic_error;
};

}  // namespace

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
#define TOML_ENABLE_UNRELEASED_FEATURES 0
#define TOML_MAX_NESTED_VALUES 16
#define TOML_ASSERT(condition)                             \
  do {                                                     \
    if (!(condition)) throw AssertionFailed(#condition);   \
  } while (false)
#include <toml++/impl/forward_declarations.h>

TOML_IMPL_NAMESPACE_START {
  /// What the parser asks of each dotted key: whether it made the table itself. toml++ searches from the beginning, and
  /// the table is nearly always the last: a manifest of N items would cost N² comparisons.
  inline table **find(std::vector<table *>::iterator start, std::vector<table *>::iterator end,
                      table *const &needle) noexcept {
    while (end != start)
      if (*--end == needle) return &*end;
    return nullptr;
  }
}
TOML_IMPL_NAMESPACE_END;

#include <toml++/toml.h>

struct ctoml_document {
  toml::table root;
  std::vector<ctoml_node> nodes;
  std::string message;
  uint32_t line = 1;
};

namespace {

const uint8_t *bytes(std::string_view text) { return reinterpret_cast<const uint8_t *>(text.data()); }

/// A child and where it stands: for a table's children, where the key stands.
struct Child {
  const toml::key *key;
  const toml::node *node;
  toml::source_position position;
};

std::vector<Child> children(const toml::table &table) {
  std::vector<Child> found;
  found.reserve(table.size());
  for (auto &&[key, node] : table) found.push_back({&key, &node, key.source().begin});
  std::sort(found.begin(), found.end(),
            [](const Child &left, const Child &right) { return left.position < right.position; });
  return found;
}

std::vector<Child> children(const toml::array &array) {
  std::vector<Child> found;
  found.reserve(array.size());
  for (auto &&node : array) found.push_back({nullptr, &node, node.source().begin});
  return found;
}

ctoml_kind kind(const toml::node &node) {
  switch (node.type()) {
    case toml::node_type::table: return CTOML_TABLE;
    case toml::node_type::array: return CTOML_ARRAY;
    case toml::node_type::string: return CTOML_STRING;
    case toml::node_type::integer: return CTOML_INTEGER;
    case toml::node_type::floating_point: return CTOML_FLOAT;
    case toml::node_type::boolean: return CTOML_BOOLEAN;
    default: return CTOML_DATE_TIME;
  }
}

ctoml_node flattened(const Child &child) {
  ctoml_node flat{};
  flat.kind = kind(*child.node);
  flat.line = child.position.line;
  if (child.key) {
    flat.key = bytes(child.key->str());
    flat.key_byte_count = child.key->str().size();
  }
  if (auto text = child.node->as_string()) {
    flat.text = bytes(text->get());
    flat.text_byte_count = text->get().size();
  }
  if (auto integer = child.node->as_integer()) flat.integer = integer->get();
  if (auto boolean = child.node->as_boolean()) flat.integer = boolean->get() ? 1 : 0;
  return flat;
}

/// Depth is bounded by TOML_MAX_NESTED_VALUES and by the caller's limit on a key's segments.
void flatten(const Child &child, std::vector<ctoml_node> &nodes) {
  const size_t place = nodes.size();
  nodes.push_back(flattened(child));
  std::vector<Child> below;
  if (auto table = child.node->as_table()) below = children(*table);
  if (auto array = child.node->as_array()) below = children(*array);
  nodes[place].child_count = static_cast<uint32_t>(below.size());
  for (const Child &next : below) flatten(next, nodes);
}

void parse(ctoml_document &document, std::string_view text) {
  document.root = toml::parse(text);
  flatten({nullptr, &document.root, {1, 1}}, document.nodes);
}

bool fails_assertion(std::string_view text) {
  try {
    (void)toml::parse(text);
    return false;
  } catch (const AssertionFailed &) {
    return true;
  } catch (const toml::parse_error &) {
    return false;
  }
}

/// An assertion knows no position: the line is the first whose end completes what trips it, found by halving.
uint32_t line_of_assertion(std::string_view text) {
  std::vector<size_t> line_ends;
  for (size_t place = 0; place < text.size(); place += 1)
    if (text[place] == '\n') line_ends.push_back(place + 1);
  auto first = std::partition_point(line_ends.begin(), line_ends.end(),
                                    [&](size_t end) { return !fails_assertion(text.substr(0, end)); });
  return static_cast<uint32_t>(first - line_ends.begin()) + 1;
}

}  // namespace

ctoml_document *ctoml_parse(const uint8_t *text, size_t byte_count) {
  auto *document = new (std::nothrow) ctoml_document;
  if (!document) return nullptr;
  try {
    parse(*document, {reinterpret_cast<const char *>(text), byte_count});
    return document;
  } catch (const toml::parse_error &error) {
    document->line = error.source().begin.line;
    document->message = error.description();
  } catch (const AssertionFailed &) {
    document->line = line_of_assertion({reinterpret_cast<const char *>(text), byte_count});
    document->message = "malformed key or value";
  } catch (...) {
    ctoml_free(document);
    return nullptr;
  }
  document->nodes.clear();
  return document;
}

size_t ctoml_node_count(const ctoml_document *document) { return document->nodes.size(); }

ctoml_node ctoml_node_at(const ctoml_document *document, size_t index) { return document->nodes[index]; }

ctoml_error ctoml_syntax_error(const ctoml_document *document) {
  return {document->line, bytes(document->message), document->message.size()};
}

void ctoml_free(ctoml_document *document) { delete document; }
