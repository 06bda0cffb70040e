"""The rules of `data/grammar/language/rules.yaml`: bracketed trees with slots, and the phrases they make."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.grammar.tree import Node
from encoder_atlas.text.grammar.yaml_files import language_file, read_yaml

PART = re.compile(
    r"\s*(?:\((?P<open>[A-Z$]+)|(?P<close>\))"
    r"|\{(?P<slot>\w+)\}(?:(?P<often>[?*])|:(?P<filled>[A-Z$]+))?"
    r"|(?P<word>[^\s(){}]+?):(?P<tag>[A-Z$.,:]+))"
    r"(?:=(?P<entity>[A-Z]+))?(?:/(?P<relation>[a-z:]+))?(?:\^(?P<governor>\w+))?(?=[\s()]|$)"
)
Filler = Node | list[Node] | str | None


class Frame(BaseModel):
    """What a verb takes, as the file of the rules explains it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    roles: dict[str, str] = Field(min_length=1)
    active: str
    passive: str | None = None
    alternated: str | None = None
    passive_alternated: Annotated[str | None, Field(alias="passive-alternated")] = None
    promoted: str | None = None
    weight: int = Field(default=1, ge=0)

    def shapes(self) -> Iterator[tuple[str, str]]:
        """The verb phrases it has, by voice."""
        for voice in ("active", "passive", "alternated", "passive_alternated"):
            if (template := getattr(self, voice)) is not None:
                yield voice, template


class RulesFile(BaseModel):
    """The whole file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rules: dict[str, str] = Field(min_length=1)
    frames: dict[str, Frame] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a rule: a phrase with parts of its own, a slot, or a word."""

    name: str  # the slot, or the word
    label: str  # of a phrase or word, also of a slot for words; "" for a slot for phrases
    parts: tuple["Part", ...] = ()
    slot: bool = False
    optional: bool = False
    many: bool = False
    entity: str = ""
    relation: str = ""
    governor: str = ""


class Rule:
    """A bracketed tree that is ready to be filled."""

    def __init__(self, name: str, template: str, optional: Collection[str] = ()) -> None:
        """Read the template; slots named in ``optional`` need not be filled even if it does not say so.

        Raises:
            ValueError: naming the rule and what is wrong with its template.
        """
        self.name = name
        self.root = _parse(name, template)
        _check(name, self.root)
        self.root = _loosened(self.root, frozenset(optional))
        self.slots = {part.name: part.relation for part in _walk(self.root) if part.slot}

    def make(self, fillers: dict[str, Filler]) -> Node:
        """The phrase, its slots filled.

        Raises:
            KeyError: if a slot that must be filled is not.
        """
        made: dict[str, Node] = {}
        late: list[tuple[Node, str]] = []
        try:
            root = _fill(self.root, fillers, made, late)
        except KeyError as error:
            if error.args[0] not in self.slots:
                raise
            raise KeyError(f"rule {self.name!r}: nothing fills {error.args[0]!r}") from error
        for node, governor in late:
            node.governor = made[governor]
        return root


def _fill(
    part: Part, fillers: dict[str, Filler], made: dict[str, Node], late: list[tuple[Node, str]]
) -> Node:
    phrase = Node(part.label, None, part.relation, part.entity)
    for kid in part.parts:
        if kid.parts:
            node = _fill(kid, fillers, made, late)
        elif not kid.slot:
            node = Node(kid.label, kid.name, kid.relation, kid.entity)
        else:
            filler = fillers.get(kid.name)
            if filler is None:
                if kid.optional or kid.many:
                    continue
                raise KeyError(kid.name)
            if isinstance(filler, list):
                for one in filler:
                    if kid.relation:
                        one.relation = kid.relation
                phrase.kids += filler
                continue
            node = Node(kid.label, filler) if isinstance(filler, str) else filler
            if kid.relation and kid.relation != "head" and node.governor is None:
                node.relation = kid.relation
        phrase.kids.append(node)
        if kid.name:
            made[kid.name] = node
        if kid.relation == "head":
            phrase.head = node
        if kid.governor:
            late.append((node, kid.governor))
    return phrase


def _parse(name: str, template: str) -> Part:
    stack: list[list[Part]] = [[]]
    labels: list[str] = []
    place = 0
    text = template.strip()
    while place < len(text):
        found = PART.match(text, place)
        if found is None:
            raise ValueError(f"rule {name!r}: cannot read {text[place:].strip()!r} of {text!r}")
        place = found.end()
        if found["open"]:
            labels.append(found["open"])
            stack.append([])
        elif found["close"]:
            if not labels:
                raise ValueError(f"rule {name!r}: one ')' too many in {text!r}")
            parts = tuple(stack.pop())
            stack[-1].append(_part(found, "", labels.pop(), parts))
        elif found["slot"]:
            stack[-1].append(_part(found, found["slot"], found["filled"] or ""))
        else:
            stack[-1].append(_part(found, found["word"], found["tag"]))
    if labels or len(stack[0]) != 1 or not stack[0][0].parts:
        raise ValueError(f"rule {name!r}: {text!r} is not one bracketed phrase; count its brackets")
    return stack[0][0]


def _part(found: re.Match[str], name: str, label: str, parts: tuple[Part, ...] = ()) -> Part:
    often = found["often"]
    return Part(
        name,
        label,
        parts,
        slot=found["slot"] is not None,
        optional=often == "?",
        many=often == "*",
        entity=found["entity"] or "",
        relation=found["relation"] or "",
        governor=found["governor"] or "",
    )


def _walk(part: Part) -> Iterator[Part]:
    yield part
    for kid in part.parts:
        yield from _walk(kid)


def _loosened(part: Part, optional: frozenset[str]) -> Part:
    parts = tuple(_loosened(kid, optional) for kid in part.parts)
    return replace(part, parts=parts, optional=part.optional or (part.slot and part.name in optional))


def _check(name: str, root: Part) -> None:
    names = [part.name for part in _walk(root) if part.name]
    for part in _walk(root):
        if part.governor and part.governor not in names:
            raise ValueError(
                f"rule {name!r}: ^{part.governor} is no part of it; {near(part.governor, names)}"
            )
        if not part.parts:
            continue
        heads = [kid for kid in part.parts if kid.relation == "head"]
        if len(heads) != 1:
            raise ValueError(
                f"rule {name!r}: phrase {part.label} has {len(heads)} parts marked /head, not one"
            )
        if heads[0].optional or heads[0].many:
            raise ValueError(f"rule {name!r}: the head of {part.label} cannot be optional or many")


class Rules:
    """All rules, by name; those of frames are called "giving.passive" and the like."""

    def __init__(self, file: RulesFile) -> None:
        """Read every template.

        Raises:
            ValueError: naming the first rule with a fault.
        """
        self.frames = file.frames
        self.by_name = {name: Rule(name, template) for name, template in file.rules.items()}
        for frame_name, frame in file.frames.items():
            for voice, template in frame.shapes():
                rule = Rule(f"{frame_name}.{voice}", template, optional=frame.roles)
                known = {*frame.roles, "verb", "rest", "not", "adverb", "particle", "agent"}
                for slot in rule.slots:
                    if slot not in known:
                        raise ValueError(f"rule {rule.name!r} has no position {slot!r}; {near(slot, known)}")
                self.by_name[rule.name] = rule
            if frame.promoted is not None and frame.promoted not in frame.roles:
                raise ValueError(
                    f"frame {frame_name!r} promotes {frame.promoted!r}, which is no position of it"
                )

    def make(self, name: str, /, **fillers: Any) -> Node:
        """The phrase that a rule makes of what fills its slots."""
        return self.by_name[name].make(fillers)


def read_rules(path: Path) -> Rules:
    """Read a file of rules.

    Raises:
        DataError: naming the file and the rule at fault.
    """
    try:
        return Rules(read_yaml(path, RulesFile))
    except ValueError as error:
        raise DataError(f"{path} is no usable grammar: {error}") from error


@lru_cache(maxsize=1)
def standard_rules() -> Rules:
    """The project's rules, read once."""
    return read_rules(language_file("rules.yaml"))
