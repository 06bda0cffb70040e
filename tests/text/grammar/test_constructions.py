"""Each construction by hand: the whole annotation of one short sentence."""

from dataclasses import replace

import pytest
from tests.text.grammar.said import (
    BANK,
    BUSINESS,
    BUY,
    CASTELL,
    CLERK_REPORTING,
    DELAY,
    DEPENDENT,
    GIVE,
    KELLER,
    PERSUADE,
    RETIRE,
    SAY,
    SET_UP,
    SHOP,
    SHOP_VISITED,
    VISIT,
    in_year,
    is_,
    named,
    some,
)
from tests.text.grammar.shown import arcs, entities, mentions, roles

from encoder_atlas.text.formats.brackets import tree_line
from encoder_atlas.text.grammar import Event, Form, Modifier, Participant, Quality, write

EXAMPLES = {
    "active": (
        GIVE,
        Form(),
        (
            "(TOP (S (NP (DT The) (NN manager)) (VP (VBD gave) (NP (DT a) (NN report)) (PP (IN to) "
            "(NP (DT the) (NN bank)))) (. .)))"
        ),
        (
            "The<2:det manager<3:nsubj gave<0:root a<5:det report<3:obj to<8:case the<8:det "
            "bank<3:obl .<3:punct"
        ),
        {"give.01": {"ARG0": "The manager", "ARG1": "a report", "ARG2": "to the bank"}},
        {},
        [],
    ),
    "passive": (
        GIVE,
        Form(passive=True),
        (
            "(TOP (S (NP (DT A) (NN report)) (VP (VBD was) (VP (VBN given) (PP (IN to) (NP (DT the) "
            "(NN bank))) (PP (IN by) (NP (DT the) (NN manager))))) (. .)))"
        ),
        (
            "A<2:det report<4:nsubj:pass was<4:aux:pass given<0:root to<7:case the<7:det bank<4:obl "
            "by<10:case the<10:det manager<4:obl:agent .<4:punct"
        ),
        {"give.01": {"ARG1": "A report", "ARG2": "to the bank", "ARG0": "by the manager"}},
        {},
        [],
    ),
    "passive_of_the_recipient": (
        GIVE,
        Form(passive=True, alternated=True, agent=False),
        ("(TOP (S (NP (DT The) (NN bank)) (VP (VBD was) (VP (VBN given) (NP (DT a) (NN report)))) (. .)))"),
        "The<2:det bank<4:nsubj:pass was<4:aux:pass given<0:root a<6:det report<4:obj .<4:punct",
        {"give.01": {"ARG2": "The bank", "ARG1": "a report"}},
        {},
        [],
    ),
    "double_object": (
        GIVE,
        Form(alternated=True),
        (
            "(TOP (S (NP (DT The) (NN manager)) (VP (VBD gave) (NP (DT the) (NN bank)) (NP (DT a) (NN "
            "report))) (. .)))"
        ),
        ("The<2:det manager<3:nsubj gave<0:root the<5:det bank<3:iobj a<7:det report<3:obj .<3:punct"),
        {"give.01": {"ARG0": "The manager", "ARG2": "the bank", "ARG1": "a report"}},
        {},
        [],
    ),
    "particle_shifted": (
        SET_UP,
        Form(alternated=True),
        ("(TOP (S (NP (DT The) (NN bank)) (VP (VBD set) (NP (DT a) (NN shop)) (PRT (RP up))) (. .)))"),
        "The<2:det bank<3:nsubj set<0:root a<5:det shop<3:obj up<3:compound:prt .<3:punct",
        {"set_up.03": {"ARG0": "The bank", "ARG1": "a shop"}},
        {},
        [],
    ),
    "relative_clause_of_the_object": (
        BUY.put("object", SHOP_VISITED),
        Form(),
        (
            "(TOP (S (NP (DT The) (NN bank)) (VP (VBD bought) (NP (NP (DT a) (NN shop)) (SBAR (WHNP "
            "(WDT which)) (S (NP (DT the) (NN manager)) (VP (VBD visited)))))) (. .)))"
        ),
        (
            "The<2:det bank<3:nsubj bought<0:root a<5:det shop<3:obj which<9:obj the<8:det "
            "manager<9:nsubj visited<5:acl:relcl .<3:punct"
        ),
        {
            "buy.01": {"ARG0": "The bank", "ARG1": "a shop which the manager visited"},
            "visit.01": {"ARG1": "a shop", "R-ARG1": "which", "ARG0": "the manager"},
        },
        {},
        [],
    ),
    "relative_clause_without_pronoun": (
        BUY.put("object", SHOP_VISITED),
        Form(that=False),
        (
            "(TOP (S (NP (DT The) (NN bank)) (VP (VBD bought) (NP (NP (DT a) (NN shop)) (SBAR (S (NP "
            "(DT the) (NN manager)) (VP (VBD visited)))))) (. .)))"
        ),
        (
            "The<2:det bank<3:nsubj bought<0:root a<5:det shop<3:obj the<7:det manager<8:nsubj "
            "visited<5:acl:relcl .<3:punct"
        ),
        {
            "buy.01": {"ARG0": "The bank", "ARG1": "a shop the manager visited"},
            "visit.01": {"ARG1": "a shop", "ARG0": "the manager"},
        },
        {},
        [],
    ),
    "participle": (
        BUY.put("object", SHOP_VISITED),
        Form(reduced=True),
        (
            "(TOP (S (NP (DT The) (NN bank)) (VP (VBD bought) (NP (NP (DT a) (NN shop)) (VP (VBN "
            "visited) (PP (IN by) (NP (DT the) (NN manager)))))) (. .)))"
        ),
        (
            "The<2:det bank<3:nsubj bought<0:root a<5:det shop<3:obj visited<5:acl by<9:case "
            "the<9:det manager<6:obl:agent .<3:punct"
        ),
        {
            "buy.01": {"ARG0": "The bank", "ARG1": "a shop visited by the manager"},
            "visit.01": {"ARG1": "a shop", "ARG0": "by the manager"},
        },
        {},
        [],
    ),
    "extraposed_relative_clause": (
        Event(BUSINESS.verb("resign"), (("subject", CLERK_REPORTING),)),
        Form(extraposed=True),
        (
            "(TOP (S (NP (DT A) (NN clerk)) (VP (VBD resigned)) (SBAR (WHNP (WP who)) (S (VP (VBD "
            "reported) (NP (DT a) (NN delay))))) (. .)))"
        ),
        (
            "A<2:det clerk<3:nsubj resigned<0:root who<5:nsubj reported<2:acl:relcl a<7:det "
            "delay<5:obj .<3:punct"
        ),
        {
            "resign.01": {"ARG0": "A clerk", "C-ARG0": "who reported a delay"},
            "report.01": {"ARG0": "A clerk", "R-ARG0": "who", "ARG1": "a delay"},
        },
        {},
        [],
    ),
    "question_over_a_clause_boundary": (
        SAY,
        Form(ask="clause.object"),
        (
            "(TOP (SBARQ (WHNP (WP What)) (SQ (VBD did) (NP (DT the) (NN manager)) (VP (VB say) (SBAR "
            "(IN that) (S (NP (DT the) (NN bank)) (VP (VBD bought)))))) (. ?)))"
        ),
        (
            "What<9:obj did<5:aux the<4:det manager<5:nsubj say<0:root that<9:mark the<8:det "
            "bank<9:nsubj bought<5:ccomp ?<5:punct"
        ),
        {
            "say.01": {"ARG0": "the manager", "ARG1": "that the bank bought"},
            "buy.01": {"ARG1": "What", "ARG0": "the bank"},
        },
        {},
        [],
    ),
    "stranded_preposition": (
        GIVE,
        Form(ask="oblique"),
        (
            "(TOP (SBARQ (WHNP (WP Who)) (SQ (VBD did) (NP (DT the) (NN manager)) (VP (VB give) (NP "
            "(DT a) (NN report)) (PP (IN to)))) (. ?)))"
        ),
        (
            "Who<5:obl did<5:aux the<4:det manager<5:nsubj give<0:root a<7:det report<5:obj to<1:case "
            "?<5:punct"
        ),
        {"give.01": {"ARG2": "Who", "ARG0": "the manager", "ARG1": "a report"}},
        {},
        [],
    ),
    "subject_question": (
        BUY,
        Form(ask="subject", which=True),
        ("(TOP (SBARQ (WHNP (WDT Which) (NN bank)) (SQ (VP (VBD bought) (NP (DT a) (NN shop)))) (. ?)))"),
        "Which<2:det bank<3:nsubj bought<0:root a<5:det shop<3:obj ?<3:punct",
        {"buy.01": {"ARG0": "Which bank", "ARG1": "a shop"}},
        {},
        [],
    ),
    "negated_question": (
        replace(BUY, negated=True),
        Form(ask="whether"),
        ("(TOP (SQ (VBD Did) (RB n't) (NP (DT the) (NN bank)) (VP (VB buy) (NP (DT a) (NN shop))) (. ?)))"),
        "Did<5:aux n't<5:advmod the<4:det bank<5:nsubj buy<0:root a<7:det shop<5:obj ?<5:punct",
        {"buy.01": {"ARGM-NEG": "n't", "ARG0": "the bank", "ARG1": "a shop"}},
        {},
        [],
    ),
    "control": (
        PERSUADE,
        Form(),
        (
            "(TOP (S (NP (DT The) (NN manager)) (VP (VBD persuaded) (NP (DT a) (NN clerk)) (S (VP (TO "
            "to) (VP (VB buy) (NP (DT a) (NN shop)))))) (. .)))"
        ),
        (
            "The<2:det manager<3:nsubj persuaded<0:root a<5:det clerk<3:obj to<7:mark buy<3:xcomp "
            "a<9:det shop<7:obj .<3:punct"
        ),
        {
            "persuade.01": {"ARG0": "The manager", "ARG2": "a clerk", "ARG1": "to buy a shop"},
            "buy.01": {"ARG0": "a clerk", "ARG1": "a shop"},
        },
        {},
        [],
    ),
    "fronted_clause_and_pronoun": (
        replace(
            BUY,
            modifiers=(
                Modifier("ARGM-CAU", Event(BUSINESS.verb("expand"), (("subject", BANK),)), "because"),
                Modifier("ARGM-TMP", in_year("1998")),
            ),
        ),
        Form(fronted="ARGM-CAU"),
        (
            "(TOP (S (SBAR (IN Because) (S (NP (DT the) (NN bank)) (VP (VBD expanded)))) (, ,) (NP "
            "(PRP it)) (VP (VBD bought) (NP (DT a) (NN shop)) (PP (IN in) (NP (CD 1998)))) (. .)))"
        ),
        (
            "Because<4:mark the<3:det bank<4:nsubj expanded<7:advcl ,<7:punct it<7:nsubj "
            "bought<0:root a<9:det shop<7:obj in<11:case 1998<7:obl .<7:punct"
        ),
        {
            "expand.01": {"ARG1": "the bank"},
            "buy.01": {
                "ARGM-CAU": "Because the bank expanded",
                "ARG0": "it",
                "ARG1": "a shop",
                "ARGM-TMP": "in 1998",
            },
        },
        {"1998": "DATE"},
        [("the bank", "3"), ("it", "3")],
    ),
    "copula": (
        DEPENDENT,
        Form(contracted=True),
        (
            "(TOP (S (NP (DT The) (NN bank)) (VP (VBZ is) (RB n't) (ADJP (JJ dependent) (PP (IN on) "
            "(NP (NNP Castell) (NNP Bank))))) (. .)))"
        ),
        (
            "The<2:det bank<5:nsubj is<5:cop n't<5:advmod dependent<0:root on<8:case "
            "Castell<8:compound Bank<5:obl .<5:punct"
        ),
        {"be.01": {"ARG1": "The bank", "ARGM-NEG": "n't", "ARG2": "dependent on Castell Bank"}},
        {"Castell Bank": "ORG"},
        [],
    ),
    "copula_question": (
        DEPENDENT,
        Form(ask="whether"),
        (
            "(TOP (SQ (VBZ Is) (RB n't) (NP (DT the) (NN bank)) (ADJP (JJ dependent) (PP (IN on) (NP "
            "(NNP Castell) (NNP Bank)))) (. ?)))"
        ),
        (
            "Is<5:cop n't<5:advmod the<4:det bank<5:nsubj dependent<0:root on<8:case "
            "Castell<8:compound Bank<5:obl ?<5:punct"
        ),
        {"be.01": {"ARGM-NEG": "n't", "ARG1": "the bank", "ARG2": "dependent on Castell Bank"}},
        {"Castell Bank": "ORG"},
        [],
    ),
    "there_is": (
        Event(is_("existing"), (("object", DELAY),), modal="may"),
        Form(),
        "(TOP (S (NP (EX There)) (VP (MD may) (VP (VB be) (NP (DT a) (NN delay)))) (. .)))",
        "There<3:expl may<3:aux be<0:root a<5:det delay<3:nsubj .<3:punct",
        {"be.02": {"ARGM-MOD": "may", "ARG1": "a delay"}},
        {},
        [],
    ),
    "cleft": (
        BUY,
        Form(cleft="subject"),
        (
            "(TOP (S (NP (PRP It)) (VP (VBD was) (NP (DT the) (NN bank)) (SBAR (WHNP (WDT that)) (S "
            "(VP (VBD bought) (NP (DT a) (NN shop)))))) (. .)))"
        ),
        (
            "It<4:expl was<4:cop the<4:det bank<0:root that<6:nsubj bought<4:acl:relcl a<8:det "
            "shop<6:obj .<4:punct"
        ),
        {
            "be.01": {"ARG1": "It", "ARG2": "the bank"},
            "buy.01": {"ARG0": "the bank", "R-ARG0": "that", "ARG1": "a shop"},
        },
        {},
        [],
    ),
    "possessive": (
        Event(
            BUSINESS.verb("sell"), (("subject", KELLER), ("object", replace(SHOP, article="", owner=KELLER)))
        ),
        Form(),
        "(TOP (S (NP (NNP Maria) (NNP Keller)) (VP (VBD sold) (NP (PRP$ her) (NN shop))) (. .)))",
        "Maria<3:nsubj Keller<1:flat sold<0:root her<5:nmod:poss shop<3:obj .<3:punct",
        {"sell.01": {"ARG0": "Maria Keller", "ARG1": "her shop"}},
        {"Maria Keller": "PERSON"},
        [("Maria Keller", "7"), ("her", "7")],
    ),
    "genitive": (
        VISIT.put("object", replace(SHOP, article="", owner=KELLER)),
        Form(),
        (
            "(TOP (S (NP (DT The) (NN manager)) (VP (VBD visited) (NP (NP (NML (NNP Maria) (NNP "
            "Keller)) (POS 's)) (NN shop))) (. .)))"
        ),
        (
            "The<2:det manager<3:nsubj visited<0:root Maria<7:nmod:poss Keller<4:flat 's<4:case "
            "shop<3:obj .<3:punct"
        ),
        {"visit.01": {"ARG0": "The manager", "ARG1": "Maria Keller 's shop"}},
        {"Maria Keller": "PERSON"},
        [],
    ),
    "amounts": (
        Event(
            BUSINESS.verb("rise"),
            (
                ("subject", Participant(20, "figure", BUSINESS.noun("price"), plural=True)),
                ("amount", Participant(21, "percent", amount=("about", "5"))),
                ("goal", Participant(22, "money", amount=("3", "million"))),
            ),
            tense="present",
            aspect="perfect",
        ),
        Form(),
        (
            "(TOP (S (NP (NNS Prices)) (VP (VBP have) (VP (VBN risen) (NP (QP (RB about) (CD 5)) (NN "
            "%)) (PP (IN to) (NP (QP ($ $) (CD 3) (CD million)))))) (. .)))"
        ),
        (
            "Prices<3:nsubj have<3:aux risen<0:root about<5:advmod 5<6:nummod %<3:obl:npmod to<8:case "
            "$<3:obl 3<10:compound million<8:nummod .<3:punct"
        ),
        {"rise.01": {"ARG1": "Prices", "ARG2": "about 5 %", "ARG4": "to $ 3 million"}},
        {"about 5 %": "PERCENT", "$ 3 million": "MONEY"},
        [],
    ),
    "claim": (
        Event(
            BUSINESS.verb("reject"),
            (("subject", BANK), ("object", replace(some(9, "claim", "rumour", "the"), content=RETIRE))),
        ),
        Form(),
        (
            "(TOP (S (NP (DT The) (NN bank)) (VP (VBD rejected) (NP (NP (DT the) (NN rumour)) (SBAR "
            "(IN that) (S (NP (NNP Maria) (NNP Keller)) (VP (VBD retired)))))) (. .)))"
        ),
        (
            "The<2:det bank<3:nsubj rejected<0:root the<5:det rumour<3:obj that<9:mark Maria<9:nsubj "
            "Keller<7:flat retired<5:acl .<3:punct"
        ),
        {
            "reject.01": {"ARG0": "The bank", "ARG1": "the rumour that Maria Keller retired"},
            "retire.01": {"ARG0": "Maria Keller"},
        },
        {"Maria Keller": "PERSON"},
        [],
    ),
    "joined_verb_phrases": (
        replace(BUY, joined=Event(BUSINESS.verb("fund"), (("subject", BANK), ("object", CASTELL)))),
        Form(),
        (
            "(TOP (S (NP (DT The) (NN bank)) (VP (VP (VBD bought) (NP (DT a) (NN shop))) (CC and) (VP "
            "(VBD funded) (NP (NNP Castell) (NNP Bank)))) (. .)))"
        ),
        (
            "The<2:det bank<3:nsubj bought<0:root a<5:det shop<3:obj and<7:cc funded<3:conj "
            "Castell<9:compound Bank<7:obj .<3:punct"
        ),
        {
            "buy.01": {"ARG0": "The bank", "ARG1": "a shop"},
            "fund.01": {"ARG0": "The bank", "ARG1": "Castell Bank"},
        },
        {"Castell Bank": "ORG"},
        [],
    ),
    "joined_clauses": (
        replace(BUY, beside=("but", RETIRE)),
        Form(),
        (
            "(TOP (S (S (NP (DT The) (NN bank)) (VP (VBD bought) (NP (DT a) (NN shop)))) (, ,) (CC "
            "but) (S (NP (NNP Maria) (NNP Keller)) (VP (VBD retired))) (. .)))"
        ),
        (
            "The<2:det bank<3:nsubj bought<0:root a<5:det shop<3:obj ,<10:punct but<10:cc "
            "Maria<10:nsubj Keller<8:flat retired<3:conj .<3:punct"
        ),
        {"buy.01": {"ARG0": "The bank", "ARG1": "a shop"}, "retire.01": {"ARG0": "Maria Keller"}},
        {"Maria Keller": "PERSON"},
        [],
    ),
    "it_is_clear": (
        Event(is_("being-clear"), (("predicate", Quality("clear")), ("clause", BUY)), tense="present"),
        Form(),
        (
            "(TOP (S (NP (PRP It)) (VP (VBZ is) (ADJP (JJ clear)) (SBAR (IN that) (S (NP (DT the) (NN "
            "bank)) (VP (VBD bought) (NP (DT a) (NN shop)))))) (. .)))"
        ),
        (
            "It<3:expl is<3:cop clear<0:root that<7:mark the<6:det bank<7:nsubj bought<3:csubj "
            "a<9:det shop<7:obj .<3:punct"
        ),
        {
            "be.01": {"ARG2": "clear", "ARG1": "that the bank bought a shop"},
            "buy.01": {"ARG0": "the bank", "ARG1": "a shop"},
        },
        {},
        [],
    ),
    "attached_and_numbered": (
        BUY.put(
            "object",
            replace(
                SHOP,
                plural=True,
                article="",
                count=("more", "than", "20"),
                attached=Modifier("", named(10, "gpe", "New York"), "in"),
            ),
        ),
        Form(),
        (
            "(TOP (S (NP (DT The) (NN bank)) (VP (VBD bought) (NP (NP (QP (JJR more) (IN than) (CD "
            "20)) (NNS shops)) (PP (IN in) (NP (NNP New) (NNP York))))) (. .)))"
        ),
        (
            "The<2:det bank<3:nsubj bought<0:root more<6:advmod than<4:fixed 20<7:nummod shops<3:obj "
            "in<10:case New<10:compound York<7:nmod .<3:punct"
        ),
        {"buy.01": {"ARG0": "The bank", "ARG1": "more than 20 shops in New York"}},
        {"more than 20": "CARDINAL", "New York": "GPE"},
        [],
    ),
    "apposition": (
        RETIRE.put("subject", replace(KELLER, other_name=some(11, "person", "clerk"))),
        Form(),
        (
            "(TOP (S (NP (NP (NNP Maria) (NNP Keller)) (, ,) (NP (DT a) (NN clerk)) (, ,)) (VP (VBD "
            "retired)) (. .)))"
        ),
        ("Maria<7:nsubj Keller<1:flat ,<5:punct a<5:det clerk<1:appos ,<5:punct retired<0:root .<7:punct"),
        {"retire.01": {"ARG0": "Maria Keller , a clerk ,"}},
        {"Maria Keller": "PERSON"},
        [],
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_construction(name: str) -> None:
    event, form, tree, dependencies, frames, named_entities, coreference = EXAMPLES[name]
    sentence = write(event, form)
    assert tree_line(sentence) == tree
    assert arcs(sentence) == dependencies
    assert roles(sentence) == frames
    assert entities(sentence) == named_entities
    assert mentions(sentence) == coreference
