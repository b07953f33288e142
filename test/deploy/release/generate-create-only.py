"""Regenerates create-only.json: for each resource type in it, the properties whose change makes CloudFormation replace the resource.

To add a type, insert it as an empty list, and run this again with the Python environment of `npm run lint:templates`, whose cfn-lint contains
AWS's resource schemas (`createOnlyProperties` and `conditionalCreateOnlyProperties`):

    .cfn-lint/bin/python test/deploy/release/generate-create-only.py && npm run format
"""

import json
import pathlib

import cfnlint

FILE = pathlib.Path(__file__).parent / "create-only.json"
SCHEMAS = pathlib.Path(cfnlint.__file__).parent / "data" / "schemas" / "resources"

wanted = json.loads(FILE.read_text())
found = {}
for path in sorted(SCHEMAS.glob("*.json")):
    schema = json.loads(path.read_text())
    name = schema.get("typeName")
    if name not in wanted:
        continue
    pointers = schema.get("createOnlyProperties", []) + schema.get("conditionalCreateOnlyProperties", [])
    found.setdefault(name, set()).update(pointer.removeprefix("/properties/") for pointer in pointers)
missing = sorted(set(wanted) - set(found))
if missing:
    raise SystemExit(f"no schema of {', '.join(missing)}")
FILE.write_text(json.dumps({name: sorted(found[name]) for name in sorted(found)}, indent=2) + "\n")
