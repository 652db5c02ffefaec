"""Worlds that the project has: every input of its scenarios and of its conformance cases."""

import importlib.util
import json
import pathlib

import yaml

import objects

TESTS = pathlib.Path(__file__).resolve().parents[1]


class Loader(yaml.SafeLoader):
    """Times stay as they are written."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}


def module(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def documents(path):
    if path.suffix == ".yaml":
        return [one for one in yaml.load_all(path.read_text(), Loader) if one]
    text, found, at = path.read_text(), [], 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, length = json.JSONDecoder().raw_decode(text[at:])
        found.append(value)
        at += length
    return found


def flat(items):
    for item in items:
        if isinstance(item, dict) and isinstance(item.get("items"), list) and str(item.get("kind", "")).endswith("List"):
            yield from flat(item["items"])
        else:
            yield item


def scenarios():
    for folder in sorted(path for path in (TESTS / "scenarios").iterdir() if path.is_dir()):
        items = []
        try:
            for path in sorted(folder.iterdir()):
                if path.suffix in (".yaml", ".json", ".jsonl") and path.name != "config.yaml" and not path.name.startswith("expect."):
                    items += documents(path)
            config = yaml.load((folder / "config.yaml").read_text(), Loader) if (folder / "config.yaml").exists() else {}
        except (yaml.YAMLError, ValueError):
            continue  # what is wrong there is the scenario's point
        errors = folder / "expect.err"
        if folder.name.startswith("config-") or errors.exists() and errors.read_text().startswith("config.yaml:"):
            continue  # nothing runs with such a configuration
        broken = (folder / "exit").exists() and (folder / "exit").read_text().strip() == "2"
        if list(folder.glob("*.usage")):
            (config or {}).get("queues", {}).pop("usage", None)
        world = {"items": list(flat(items)), "config": config or {}, "foreign": True}
        names = [(one.get("kind"), objects.name_of(one)) for one in world["items"] if isinstance(one, dict)]
        if len(names) != len(set(map(str, names))):
            world["ordered"] = True  # the last of two of one name counts
        world["files"] = {path.name: path.read_text() for path in folder.glob("*.numbers")}
        if (folder / "args").exists():
            world["timed"] = True
        if broken or (folder / "ordered").exists():
            world["mutated"] = True
        yield f"scenario {folder.name}", world


def conformance():
    kai = module(TESTS / "conformance" / "run.py", "kai_cases")
    for case in kai.read_cases():
        lines = kai.objects_of(case).splitlines()
        yield f"kai {case['name'][:60]}", {"items": [json.loads(line) for line in lines], "foreign": True,
                                           "config": kai.configuration(case), "now": case["config"]["now"]}
    kueue = module(TESTS / "conformance" / "kueue.py", "kueue_cases")
    for case in kueue.read_cases():
        if not case.get("config"):
            yield f"kueue {case['name'][:60]}", {"items": case["objects"], "config": {}, "foreign": True}


def all_inputs():
    yield from scenarios()
    yield from conformance()
