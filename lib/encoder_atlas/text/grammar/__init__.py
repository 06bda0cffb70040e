"""A grammar of English of the project's own: sentences whose every layer is known by construction.

What is said is apart from how it is said. An ``Event`` is a sense of a verb with participants in the places
of its frame, modifiers, polarity and time; a ``Form`` says whether it becomes active or passive, a question,
a cleft; and ``write`` makes one derivation of the two, from which words, tags, constituents, dependencies,
entities, roles and mentions are all read. Rules and words stand in `data/grammar/language/`.

>>> import random
>>> from dataclasses import replace
>>> lexicon = lexicon_of("business")
>>> bank = Participant(1, "org", lexicon.noun("bank"), article="the")
>>> shop = Participant(2, "site", lexicon.noun("shop"), article="a", adjectives=("small",))
>>> event = Event(lexicon.verb("buy"), (("subject", bank), ("object", shop)))
>>> detokenise(write(event).words)
'The bank bought a small shop.'
>>> detokenise(write(event, Form(passive=True)).words)
'A small shop was bought by the bank.'
>>> detokenise(write(replace(event, negated=True), Form(contracted=True)).words)
"The bank didn't buy a small shop."
>>> detokenise(write(event, Form(ask="object")).words), describe(event.participants()["object"])
('What did the bank buy?', 'a small shop')
>>> lexicon.opposites("buy"), lexicon.synonyms("buy")
(('sell',), ('purchase', 'acquire'))
>>> [noun.word for noun in lexicon.broader(lexicon.noun("clerk"))]
['employee', 'professional']
>>> detokenise(write(event.put("subject", replace(bank, noun=lexicon.noun("company")))).words)
'The company bought a small shop.'

Events are drawn, with as much or as little fixed as is wanted, by a seeded source:

>>> events = EventSource(lexicon, random.Random("example"))
>>> event = events.event(frames=["transitive"], given={"subject": bank})
>>> event.verb.frame, event.get("subject") == bank, sorted(event.participants())
('transitive', True, ['object', 'subject'])
>>> form = draw_form(event, events.source, events.rules)  # one of the ways to say it
"""

from encoder_atlas.text.grammar.corpus import generate, load_generated_corpus
from encoder_atlas.text.grammar.draw_events import EventSource
from encoder_atlas.text.grammar.draw_forms import draw_form
from encoder_atlas.text.grammar.forms import detokenise
from encoder_atlas.text.grammar.lexicon import DOMAINS, Lexicon, Name, Noun, Verb, lexicon_of
from encoder_atlas.text.grammar.meaning import Event, Form, Modifier, Participant, Quality, Time
from encoder_atlas.text.grammar.sentences import describe, write

__all__ = [
    "DOMAINS",
    "Event",
    "EventSource",
    "Form",
    "Lexicon",
    "Modifier",
    "Name",
    "Noun",
    "Participant",
    "Quality",
    "Time",
    "Verb",
    "describe",
    "detokenise",
    "draw_form",
    "generate",
    "lexicon_of",
    "load_generated_corpus",
    "write",
]
