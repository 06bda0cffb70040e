"""Sentences that hypothesis draws: with layers that agree, and words as odd as files have them."""

from itertools import combinations, pairwise

from hypothesis import strategies as st

from encoder_atlas.text.layers import ROOT, Frame, Sentence, Span, Tree

# U+0085, U+2028 and U+00A0 are text inside a word; brackets and "#" mean something in some formats.
CHARACTERS = "abAB0.,'\"#_-*/|\\()[]{}=ß語😀\u0085\u2028\u00a0"
WORDS = st.sampled_from(
    [word for left in CHARACTERS for right in ("", *CHARACTERS) if (word := left + right).strip()]
).filter(lambda word: word not in ("/.", "/?"))
LABELS = st.sampled_from(
    ("NP", "VP", "ARG0", "ARGM-TMP", "C-ARG1", "PER", "WORK_OF_ART", "nsubj:pass", "$", "''")
)
DOCUMENTS = ("", "news", "news; part 001", "web/eng/00")


@st.composite
def sentences(draw: st.DrawFn, name: str = "s", document: str = "", size: int | None = None) -> Sentence:
    """A sentence with all layers; the tags of its tree are those of "pos"."""
    size = size or draw(st.integers(1, 7))
    tags = tuple(draw(LABELS) for _ in range(size))
    heads = draw(dependencies(size))
    return Sentence(
        id=name,
        words=tuple(draw(WORDS) for _ in range(size)),
        tags=tags,
        upos=tuple(draw(LABELS) for _ in range(size)),
        heads=heads,
        deprels=tuple("root" if head == ROOT else draw(LABELS) for head in heads),
        entities=draw(flat(size)),
        tree=Tree(draw(phrases(0, size)), tags),
        frames=draw(frames(size)),
        mentions=draw(mentions(size)),
        document=document,
    )


@st.composite
def texts(draw: st.DrawFn) -> list[Sentence]:
    """Sentences of one file, with ids of their own and documents that follow each other."""
    documents = draw(st.lists(st.sampled_from(DOCUMENTS), min_size=1, max_size=4, unique=True))
    found = []
    for document in documents:
        for _ in range(draw(st.integers(1, 2))):
            name = f"{draw(st.sampled_from(('id', 'a b', document or 'x')))}-{len(found)}"
            found.append(draw(sentences(name, document)))
    return found


@st.composite
def dependencies(draw: st.DrawFn, size: int) -> tuple[int, ...]:
    """Heads of a tree: in a drawn order every word hangs from one that came before."""
    order = draw(st.permutations(range(1, size + 1)))
    heads = {order[0]: ROOT} | {
        word: draw(st.sampled_from(order[:at])) for at, word in enumerate(order) if at
    }
    return tuple(heads[word] for word in range(1, size + 1))


@st.composite
def flat(draw: st.DrawFn, size: int) -> tuple[Span, ...]:
    """Spans that do not overlap, in order, some touching."""
    cuts = sorted(draw(st.sets(st.integers(0, size), min_size=2))) if size > 1 else [0, size]
    return tuple(Span(start, end, draw(LABELS)) for start, end in pairwise(cuts) if draw(st.booleans()))


@st.composite
def phrases(draw: st.DrawFn, start: int, end: int, depth: int = 0) -> tuple[Span, ...]:
    """A phrase with phrases inside, in pre-order; also one over the same words."""
    spans = (Span(start, end, draw(LABELS)),)
    if depth > 3:
        return spans
    inner = sorted(draw(st.sets(st.integers(start, end))) | {start, end})
    for left, right in pairwise(inner):
        if draw(st.booleans()):
            spans += draw(phrases(left, right, depth + 1))
    return spans


@st.composite
def frames(draw: st.DrawFn, size: int) -> tuple[Frame, ...]:
    """Predicates in order, each with roles that do not overlap."""
    predicates = sorted(draw(st.sets(st.integers(0, size - 1), max_size=3)))
    rolesets = st.sampled_from(("give.01", "take_off.12", "a.k.a.01"))
    return tuple(Frame(predicate, draw(rolesets), draw(flat(size))) for predicate in predicates)


@st.composite
def mentions(draw: st.DrawFn, size: int) -> tuple[Span, ...]:
    """Mentions in order that may nest and cross; of one entity only nest, as a column can hold them."""
    ends = st.tuples(st.integers(0, size), st.integers(0, size)).filter(lambda pair: pair[0] < pair[1])
    labels = st.sampled_from(("1", "2", "23"))
    drawn = st.builds(lambda pair, label: Span(pair[0], pair[1], label), ends, labels)
    found = sorted(draw(st.lists(drawn, max_size=4)))
    crossing = any(
        left.label == right.label and left.start < right.start < left.end < right.end
        for left, right in combinations(found, 2)
    )
    return () if crossing else tuple(found)
