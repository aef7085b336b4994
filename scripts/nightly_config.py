#!/usr/bin/env python3
"""Reads the configuration of a nightly job (TOML), checks it, and prints it as assignments for a shell.

docs/nightly.md tells what stands in it. Everything that is wrong is told at once, with the place; nothing is printed then.
"""

import re
import shlex
import sys

try:
    import tomllib
except ImportError:
    sys.exit("nightly_config.py: Python 3.11 or later is needed: it reads TOML")

# Name of a key: (type, default). A default of None: the key must be there.
TOP = {
    "state": (str, None),
    "rbench": (str, "rbench"),
    "runs": (int, 6),
    "fresh_runs": (int, 0),
    "label_command": (str, "uname -r"),
    "run_timeout": (str, ""),
    "keep_days": (int, 0),
    "give_up_hours": (int, 20),
    "thresholds": (dict, {}),
    "baseline": (dict, {}),
    "file_system": (list, None),
}
THRESHOLDS = {"floor": (str, "3%"), "gate": (str, "throughput,operations,p99"), "strict": (bool, False)}
BASELINE = {"pin": (str, ""), "pin_first": (bool, False)}
FILE_SYSTEM = {
    "name": (str, None),
    "directory": (str, None),
    "device": (str, ""),
    "mkfs": (str, ""),
    "mount": (str, ""),
    "unmount": (str, ""),
    "fresh": (str, "night"),
    "before": (str, ""),
    "after": (str, ""),
    "cell": (list, None),
}
CELL = {"name": (str, None), "options": (str, None)}
KINDS = {str: "a text", int: "a whole number", bool: "true or false", dict: "a table", list: "an array of tables"}
# A cell's name is a tag, a part of file names, and a word in tables.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
# What the job gives each run itself.
OWN = {"--store", "--tag", "--label", "--directory", "--runs", "--output", "-D", "--skip-cleanup"}

# `rbench compare` has no verdict on fewer runs.
LEAST_RUNS = 6

problems = []


def problem(place, what):
    problems.append(f"{place}: {what}" if place else what)


def read(table, keys, place):
    """The values of a table's keys, with defaults; what is wrong is told."""
    values = {}
    for key in table:
        if key not in keys:
            problem(place, f"there is no key `{key}` here: {', '.join(keys)}")
    for key, (kind, default) in keys.items():
        value = table.get(key, default)
        if value is None:
            problem(place, f"`{key}` is missing")
            value = kind()
        elif type(value) is not kind:
            problem(place, f"`{key}` must be {KINDS[kind]}")
            value = kind()
        elif kind is str and ("\0" in value or "\n" in value.strip()):
            problem(place, f"`{key}` must be a single line")
        values[key] = value
    return values


def tables(values, keys, place):
    """An array of tables, each read."""
    read_all = []
    if not values:
        problem("", f"there is no [[{place}]]")
    for number, value in enumerate(values, 1):
        here = f"{place} {number}"
        if type(value) is not dict:
            problem(here, f"must be a table: [[{place}]]")
            continue
        name = value.get("name")
        if type(name) is str:
            here = f"{place} `{name}`"
            if not NAME.fullmatch(name):
                problem(here, "a name has letters, digits, dots, dashes and underscores, at most 64")
        read_all.append((here, read(value, keys, here)))
    return read_all


def check_file_system(here, values):
    if values["mkfs"] and not (values["device"] and values["mount"] and values["unmount"]):
        problem(here, "`mkfs` needs `device`, `mount` and `unmount`")
    if bool(values["mount"]) != bool(values["unmount"]):
        problem(here, "`mount` and `unmount` belong together")
    if values["fresh"] not in ("night", "run"):
        problem(here, "`fresh` is night or run: how often the file system is made anew")
    if values["fresh"] == "run" and not values["mkfs"]:
        problem(here, "`fresh = \"run\"` needs `mkfs`")
    for key in ("directory", "device"):
        if values[key] and not values[key].startswith("/"):
            problem(here, f"`{key}` must be an absolute path")
    if values["directory"].rstrip("/") == "":
        problem(here, "`directory` cannot be the root")


def check_options(here, text):
    try:
        words = shlex.split(text)
    except ValueError as error:
        problem(here, f"`options`: {error}")
        return []
    if not words:
        problem(here, "`options` must hold those of a run, such as `-t 60 4`")
    for word in words:
        if word.split("=", 1)[0] in OWN or re.match(r"-D.", word):
            problem(here, f"`options`: {word} is given by the job itself")
    return words


def number(place, values, key, least, most):
    if not least <= values[key] <= most:
        problem(place, f"`{key}` must be from {least} to {most}")


def load(path):
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        sys.exit(f"{path}: cannot be read: {error.strerror}")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        sys.exit(f"{path}: is no TOML: {error}")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: nightly_config.py CONFIG")
    path = sys.argv[1]
    top = read(load(path), TOP, "")
    number("", top, "runs", 1, 1000)
    number("", top, "fresh_runs", 0, 1000)
    number("", top, "keep_days", 0, 100000)
    number("", top, "give_up_hours", 1, 1000)
    if top["run_timeout"] and not re.fullmatch(r"[0-9]+[smh]?", top["run_timeout"]):
        problem("", "`run_timeout` is a time such as 90s, 30m or 2h")
    if not top["state"].startswith("/"):
        problem("", "`state` must be an absolute path")
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)? ?%?", top["thresholds"].get("floor", "3%")):
        problem("thresholds", "`floor` is percent, such as 3%")
    thresholds = read(top["thresholds"], THRESHOLDS, "thresholds")
    baseline = read(top["baseline"], BASELINE, "baseline")
    if baseline["pin"] and min(top["runs"], top["fresh_runs"] or top["runs"]) < LEAST_RUNS:
        problem("", f"`runs` and `fresh_runs` must be at least {LEAST_RUNS} where a `pin` is compared with")
    if baseline["pin"] and not NAME.fullmatch(baseline["pin"]):
        problem("baseline", "`pin` is a name of letters, digits, dots, dashes and underscores")
    systems, cells, known, places = [], [], set(), set()
    for here, system in tables(top["file_system"], FILE_SYSTEM, "file_system"):
        check_file_system(here, system)
        if system["name"] in places:
            problem(here, "there is another of that name")
        places.add(system["name"])
        for place, cell in tables(system["cell"], CELL, "file_system.cell"):
            if cell["name"] in known:
                problem(place, "there is another of that name: names are for the whole job")
            known.add(cell["name"])
            cells.append((len(systems), cell["name"], check_options(place, cell["options"])))
        systems.append(system)
    if problems:
        sys.exit("\n".join(f"{path}: {text}" for text in problems))
    show(top, thresholds, baseline, systems, cells)


def show(top, thresholds, baseline, systems, cells):
    def scalar(name, value):
        value = {True: "yes", False: ""}.get(value, value) if type(value) is bool else value
        print(f"{name}={shlex.quote(str(value))}")

    def array(name, values):
        print(f"{name}=({' '.join(shlex.quote(str(value)) for value in values)})")

    for key in ("state", "rbench", "runs", "label_command", "run_timeout", "keep_days", "give_up_hours"):
        scalar(key, top[key])
    scalar("fresh_runs", top["fresh_runs"] or top["runs"])
    for key, value in {**thresholds, **baseline}.items():
        scalar(key, value)
    for key in FILE_SYSTEM:
        if key != "cell":
            array(f"fs_{key}", [system[key] for system in systems])
    array("cell_fs", [system for system, _, _ in cells])
    array("cell_name", [name for _, name, _ in cells])
    # Options are quoted once more: each is a list of words.
    array("cell_options", [shlex.join(words) for _, _, words in cells])


if __name__ == "__main__":
    main()
