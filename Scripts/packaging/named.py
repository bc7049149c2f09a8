# SPDX-License-Identifier: GPL-3.0-or-later
"""named.py LIST COPYRIGHT: compares the components of an SPDX document with the paragraphs of a copyright file."""
import json
import pathlib
import re
import sys

listed = {package["name"] for package in json.loads(pathlib.Path(sys.argv[1]).read_text())["packages"]
          if package.get("primaryPackagePurpose") == "LIBRARY"}
fields = re.findall(r"^Files: (.*)$", pathlib.Path(sys.argv[2]).read_text(), re.MULTILINE)
# The other paragraphs are about paths of the project.
named = {word for field in fields for word in field.split() if "/" not in word and word != "*"}
if listed - named:
    sys.exit(f"Board/debian/copyright does not name {', '.join(sorted(listed - named))}, which the programs contain")
