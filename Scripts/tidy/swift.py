# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a Swift file as far as the rules need: its tokens and its declarations.

This is no compiler. It knows comments, string literals, braces and the keywords that begin a declaration, and relies on
the layout that `swift format` gives a file.
"""
import re
from dataclasses import dataclass, field

LITERAL_OR_COMMENT = re.compile(r'//|/\*|#*"""|#*"|[()]')
TOKEN = re.compile(r"`?[A-Za-z_]\w*`?|\$\d+|\d\w*(?:\.\d\w*)?|->|\.\.\.|\.\.<|[=!<>]=|==|[^\s\w]")
IDENTIFIER = re.compile(r"[A-Za-z_]\w*$")
TYPE_KEYWORDS = {"struct", "class", "enum", "actor", "protocol", "extension"}
MODIFIERS = {
    "public", "package", "internal", "private", "fileprivate", "open", "static", "class", "final", "lazy", "weak",
    "unowned", "mutating", "nonmutating", "override", "nonisolated", "required", "convenience", "indirect", "consuming",
    "borrowing", "prefix", "postfix", "infix",
}
RAW_TYPE = re.compile(r"(?:String|U?Int\d*|Character)$")
OPENING, CLOSING = {"(", "[", "<"}, {")", "]", ">"}


@dataclass(slots=True)
class Token:
    text: str
    line: int


@dataclass(slots=True)
class Declaration:
    """A name that a type or a file declares. The compiler checks local names."""

    name: str
    kind: str  # struct, class, enum, actor, protocol, extension, typealias, func, init, var, let, case
    owner: str  # The type it is declared in ("Outer.Inner"), or "".
    line: int
    path: str
    modifiers: frozenset = frozenset()
    labels: tuple = ()  # The labels of a function or an initializer.
    has_raw_value: bool = False  # Whether a case has a raw value.


@dataclass
class Scope:
    kind: str  # type, or body
    name: str = ""
    keyword: str = ""
    has_raw_values: bool = False


def masked(text):
    """The text with comments and literals blanked out; code inside an interpolation stays."""
    out = []

    def blank(part):
        out.append(re.sub(r"[^\n]", " ", part))

    def code(start, is_interpolation):
        """Copies code from `start`; returns the position after its end."""
        position, depth = start, 0
        while match := LITERAL_OR_COMMENT.search(text, position):
            out.append(text[position:match.start()])
            mark, position = match.group(), match.end()
            if mark in "()":
                out.append(mark)
                depth += 1 if mark == "(" else -1
                if is_interpolation and depth < 0:
                    return position
            elif mark == "//":
                end = text.find("\n", position)
                end = len(text) if end < 0 else end
                blank(text[match.start():end])
                position = end
            elif mark == "/*":
                end = text.find("*/", position) + 2
                blank(text[match.start():end])
                position = end
            else:
                blank(mark)
                position = string(position, mark)
        out.append(text[position:])
        return len(text)

    def string(start, opening):
        """Blanks a string literal out, from after its opening quote; returns the position after its end."""
        hashes = opening.rstrip('"')
        closing = opening[len(hashes):] + hashes
        special = re.compile(re.escape(closing) + "|" + re.escape("\\" + hashes) + r"(\(|.)", re.S)
        position = start
        while match := special.search(text, position):
            blank(text[position:match.end()])
            position = match.end()
            if match.group() == closing:
                return position
            if match.group(1) == "(":
                position = code(position, is_interpolation=True)
        return len(text)

    code(0, is_interpolation=False)
    return "".join(out)


class Source:
    """A parsed file."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self.code = masked(text)
        self.tokens = []
        for number, line in enumerate(self.code.split("\n"), 1):
            self.tokens += [Token(match.group().strip("`"), number) for match in TOKEN.finditer(line)]
        self.declarations = Parser(path, self.tokens).declarations

    @property
    def module(self):
        return self.path.split("/")[1] if self.path.startswith("Sources/") else ""

    @property
    def imports(self):
        """Pairs of a line and the module that it imports."""
        for number, line in enumerate(self.code.split("\n"), 1):
            match = re.match(
                r"\s*(?:@\w+(?:\(\w+\))? )*(?:public |package |internal |private |fileprivate )?import "
                r"(?:struct |class |enum |func |var |let |protocol |typealias )?(\w+)", line)
            if match:
                yield number, match.group(1)


@dataclass
class Parser:
    path: str
    tokens: list
    declarations: list = field(default_factory=list)

    def __post_init__(self):
        self.scopes, self.pending, self.parentheses = [], None, 0
        handlers = {
            "func": self.function, "init": self.function, "var": self.variable, "let": self.variable,
            "case": self.cases, "typealias": self.alias, **{keyword: self.type for keyword in TYPE_KEYWORDS},
        }
        for index, token in enumerate(self.tokens):
            if token.text in ("(", "["):
                self.parentheses += 1
            elif token.text in (")", "]"):
                self.parentheses -= 1
            elif token.text == "{":
                self.scopes.append((self.parentheses, self.pending or Scope("body")))
                self.pending, self.parentheses = None, 0
            elif token.text == "}":
                if self.scopes:
                    self.parentheses = self.scopes.pop()[0]
                self.pending = None
            elif token.text in handlers and self.is_declaration(index):
                handlers[token.text](index)

    def is_declaration(self, index):
        if self.parentheses or not (not self.scopes or self.scopes[-1][1].kind == "type"):
            return False
        # A member, a label or an argument may have a keyword's name, `class` may be a modifier, and an import names a kind.
        if self.at(index - 1) == "import":
            return False
        if self.at(index - 1) in (".", "(", ",", ":", "&") or not IDENTIFIER.match(self.at(index + 1)):
            return self.tokens[index].text in ("func", "init", "let", "var") and self.at(index - 1) != "."
        return not (self.tokens[index].text == "class" and self.at(index + 1) in MODIFIERS | {"func", "var", "let"})

    def at(self, index):
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    @property
    def owner(self):
        return ".".join(scope.name for _, scope in self.scopes if scope.kind == "type")

    def add(self, name, kind, index, **more):
        self.declarations.append(
            Declaration(name, kind, self.owner, self.tokens[index].line, self.path, self.modifiers(index), **more))

    def modifiers(self, index):
        """The modifiers and attributes in front of a declaration's keyword."""
        found = set()
        while index > 0:
            index -= 1
            if self.at(index) == ")":
                start = self.opening_parenthesis(index)
                if self.at(start - 1) in MODIFIERS or self.at(start - 2) == "@":
                    index = start
                    continue
                return frozenset(found)
            if self.at(index - 1) == "@":
                found.add("@" + self.at(index))
                index -= 1
            elif self.at(index) in MODIFIERS:
                found.add(self.at(index))
            else:
                return frozenset(found)
        return frozenset(found)

    def opening_parenthesis(self, index):
        depth = 0
        while index > 0:
            depth += {")": 1, "(": -1}.get(self.at(index), 0)
            if depth == 0:
                break
            index -= 1
        return index

    def type(self, index):
        keyword, end = self.at(index), index + 1
        name = self.at(end)
        while self.at(end + 1) == ".":
            end += 2
            name += "." + self.at(end)
        self.add(name, keyword, index)
        has_raw_values = self.at(end + 1) == ":" and bool(RAW_TYPE.match(self.at(end + 2)))
        self.pending = Scope("type", name, keyword, has_raw_values)

    def alias(self, index):
        self.add(self.at(index + 1), "typealias", index)

    def function(self, index):
        name = "init" if self.at(index) == "init" else self.at(index + 1)
        self.pending = Scope("body")
        if IDENTIFIER.match(name):
            self.add(name, self.at(index), index, labels=self.labels(index))

    def labels(self, index):
        while self.at(index) not in ("(", "{", ""):
            index += 1
        labels, depth, expects = [], 0, True
        while (text := self.at(index)) != "":
            if text in OPENING:
                depth += 1
            elif text in CLOSING:
                depth -= 1
                if depth == 0:
                    break
            elif depth == 1 and text == ",":
                expects = True
            elif depth == 1 and expects and IDENTIFIER.match(text) and self.at(index - 1) != "@":
                labels.append(text)
                expects = False
            index += 1
        return tuple(labels)

    def cases(self, index):
        if not self.scopes or self.scopes[-1][1].keyword not in ("enum",):
            return
        depth, expects, line = 0, True, self.tokens[index].line
        for position in range(index + 1, len(self.tokens)):
            token = self.tokens[position]
            if token.line != line and depth == 0 and self.at(position - 1) != ",":
                break
            line = token.line
            if token.text in ("(", "["):
                depth += 1
            elif token.text in (")", "]"):
                depth -= 1
            elif token.text == "," and depth == 0:
                expects = True
            elif depth == 0 and token.text == "}":
                break
            elif expects and depth == 0:
                self.add(token.text, "case", position, labels=self.case_labels(position + 1),
                         has_raw_value=self.scopes[-1][1].has_raw_values)
                expects = False

    def case_labels(self, position):
        """The labels of a case's values; `_` for one that has none."""
        labels, depth, expects = [], 0, True
        while self.at(position) != "":
            text = self.at(position)
            if text in OPENING:
                depth += 1
            elif text in CLOSING:
                depth -= 1
            elif depth == 1 and text == ",":
                expects = True
            elif depth == 1 and expects:
                labels.append(text if self.at(position + 1) == ":" else "_")
                expects = False
            if depth == 0:
                break
            position += 1
        return tuple(labels)

    def variable(self, index):
        """`let` or `var`, with one name or several."""
        position, expects, depth, angles = index + 1, True, 0, 0
        names, is_value = [], False
        while position < len(self.tokens):
            token = self.tokens[position]
            if depth == 0 and position > index + 1 and self.ends_statement(position):
                break
            if token.text in ("(", "[") or (token.text == "<" and self.at(position - 1)[0].isupper()):
                depth, angles = depth + 1, angles + (token.text == "<")
            elif token.text in (")", "]") or (token.text == ">" and angles > 0):
                depth, angles = depth - 1, angles - (token.text == ">")
            elif depth == 0 and token.text == "=":
                is_value = True
            elif depth == 0 and token.text == ",":
                expects, is_value = True, False
            elif depth == 0 and token.text == "{" and not is_value:
                break
            elif token.text == "{":
                position = self.closing_brace(position)
            elif token.text == "}" and depth == 0:
                break
            elif expects and depth == 0 and IDENTIFIER.match(token.text):
                names.append(token.text)
                expects = False
            position += 1
        for name in names:
            self.add(name, self.at(index), index)

    def closing_brace(self, position):
        depth = 0
        while position < len(self.tokens):
            depth += {"{": 1, "}": -1}.get(self.at(position), 0)
            if depth == 0:
                return position
            position += 1
        return position

    def ends_statement(self, position):
        """Whether the token begins a new statement: it is on a new line that does not continue the previous one."""
        if self.tokens[position].line == self.tokens[position - 1].line:
            return self.at(position) == ";"
        goes_on = {"=", ":", ",", ".", "&", "->", "?", "+", "-", "|", "*", "/", "<", ">", "{", ")", "]", "==", "!="}
        return self.at(position) not in goes_on and self.at(position - 1) not in goes_on - {")", "]", "?", ">"}
