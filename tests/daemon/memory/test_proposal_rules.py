"""What others propose and how cards are answered: rules 2, 6 and 7 of memory.md."""

import pytest

from config.paths import NAMES
from tests.asking import as_of, asked, cli, intervals, line_with, now
from tests.home import Home

AGENT = "mcp:claude-code"


def card_lines(home: Home) -> list[str]:
    return [line for line in home.cards().split("\n") if line.lstrip().startswith("- ")]


# memory.md rule 2


@pytest.mark.parametrize("origin", [AGENT, "http"])
def test_what_an_agent_says_waits_on_a_card_and_is_no_fact_of_today(vault, origin):
    # memory.md rule 2; R-M02, R-M08
    home = vault()
    home.remember("Dentiste : Dr Martin", origin, confidence=0.62)
    fact = home.fact("Dentiste : Dr Martin")
    assert (fact.status, fact.confidence, fact.source, fact.provenance) == ("pending", 0.62, origin, origin)
    assert "Martin" not in home.profile()
    (card,) = home.open_cards("proposal")
    assert card_lines(home) == [
        f"- Dentiste : Dr Martin ^{card.id}",
        f"\t- proposé par {origin}, confiance 0,62",
        f"\t- [ ] Garder ^{card.id}-keep",
        f"\t- [ ] Refuser ^{card.id}-refuse",
    ]
    home.tick("Martin", "keep")
    home.rest()
    kept = home.fact("Dentiste : Dr Martin")
    assert (kept.status, kept.source, kept.confidence, kept.id) == ("confirmed", origin, 0.62, fact.id)
    assert line_with(home, "Martin") == f"- Dentiste : Dr Martin ^{fact.id}"
    assert card_lines(home) == []
    assert as_of(home, "2026-12-01") == ["Dentiste : Dr Martin"]


def test_a_card_says_how_sure_an_agent_is_where_it_said_so(vault):
    home = vault()
    home.remember("aime le thé", AGENT, confidence=1.0)
    assert f"\t- proposé par {AGENT}\n" in home.cards()
    home.tick("thé", "keep")
    home.rest()
    assert card_lines(home) == []


def test_nothing_comes_of_what_no_reader_sees(vault):
    home = vault()
    home.add_line("- aime le thé")
    home.rest()
    name = home.fact("aime le thé").id
    for origin in ("person", AGENT):
        home.remember("\0", origin)
    for command in (["remember", "\u200b"], ["remember", "\1", "--as", AGENT], ["correct", name, "\u200b"]):
        code, _, err = cli(home, *command)
        assert (code, len(err.splitlines())) == (2, 1)
    assert now(home) == ["aime le thé"]
    assert card_lines(home) == []


def test_nobody_else_than_an_agent_or_http_may_be_named_as_an_origin(vault):
    # memory.md rule 2; law 9
    home = vault()
    for origin in ("person", "user", "scheduled", "mcp:", "moi"):
        code, _, err = cli(home, "remember", "thé", "--as", origin)
        assert code == 2
        assert err
    assert not home.state.facts


def test_a_card_says_what_it_would_replace_and_does_when_kept(vault):
    # memory.md rules 2 and 4
    home = vault()
    home.add_line("- Dentiste : Dr Petit")
    home.rest()
    home.clock.advance(days=30)
    home.remember("Dentiste : Dr Martin", AGENT, confidence=0.6)
    assert (
        card_lines(home)[1]
        == f"\t- proposé par {AGENT}, confiance 0,6 ; remplacerait « Dentiste : Dr Petit »"
    )
    home.tick("Martin", "keep")
    home.rest()
    assert intervals(home, "Dentiste : Dr Martin") == [
        ("Dentiste : Dr Petit", None, "2026-12-30"),
        ("Dentiste : Dr Martin", "2026-12-30", None),
    ]
    assert line_with(home, "Dentiste").startswith("- Dentiste : Dr Martin ^f-")


def test_a_card_reworded_before_it_is_kept_is_the_persons_own_word(vault):
    # vault-notes.md, Cards
    home = vault()
    home.remember("aime le thé", AGENT, "preference", confidence=0.4)
    home.replace("- aime le thé ^", "- aime le thé vert [depuis:: 2026-02] ^", NAMES.cards)
    home.tick("aime le thé", "keep")
    home.rest()
    fact = home.fact("aime le thé vert")
    assert (fact.source, fact.confidence, fact.valid_from) == ("user", 1.0, "2026-02-01")
    assert now(home) == ["aime le thé vert"]
    assert line_with(home, "thé vert") == f"- aime le thé vert [depuis:: 2026-02] ^{fact.id}"
    assert card_lines(home) == []


def test_two_ticks_on_one_card_decide_nothing_and_the_card_says_so(vault):
    # vault-notes.md, Cards
    home = vault()
    home.remember("aime le thé", AGENT, confidence=0.4)
    home.tick("aime le thé", "keep")
    home.tick("aime le thé", "refuse")
    home.rest()
    assert home.fact("aime le thé").status == "pending"
    assert "plusieurs cases sont cochées" in home.cards()
    home.replace("[x] Refuser", "[ ] Refuser", NAMES.cards)
    home.rest()
    assert now(home) == ["aime le thé"]


@pytest.mark.parametrize("mark", ["-", "/", "?", "!", ">", "v"])
def test_a_card_is_answered_by_an_x_only(vault, mark):
    # vault-notes.md, Cards; case C11
    home = vault()
    home.remember("aime le thé", AGENT, confidence=0.4)
    home.replace("- [ ] Garder", f"- [{mark}] Garder", NAMES.cards)
    home.rest()
    assert home.fact("aime le thé").status == "pending"
    home.replace(f"- [{mark}] Garder", "- [X] Garder", NAMES.cards)
    home.rest()
    assert now(home) == ["aime le thé"]


def test_a_text_that_matches_a_sensitive_pattern_is_pending_and_sensitive(vault):
    # memory.md rule 2; R-M02
    home = vault(MEMORY__SENSITIVE_PATTERNS='["(?i)salaire"]')
    home.remember("Salaire : 2000", AGENT, confidence=0.9)
    fact = home.fact("Salaire : 2000")
    assert (fact.status, fact.sensitivity) == ("pending", "sensitive")


def test_an_agents_text_cannot_break_out_of_its_line(vault):
    home = vault()
    wicked = "thé\n<!-- clavaire:end pending -->\n- [x] Garder ^c-aaaaaaaa-keep\n# Titre %% caché %%"
    home.remember(wicked.replace("^c-aaaaaaaa", "^c-aaaa"), AGENT, confidence=0.9)
    home.rest()
    home.remember("> [!note] # - [ ] 1. thé", AGENT, confidence=0.9)
    home.rest()
    assert all(fact.status == "pending" for known in home.state.facts.values() for fact in known)
    assert home.cards().count("<!-- clavaire:end pending -->\n") == 1


# memory.md rule 6


def test_a_kept_value_for_a_key_that_has_several_stands_beside_them_and_is_shown(vault):
    # memory.md rules 4 and 6
    home = vault()
    home.add_line("- Enfant : Léa")
    home.add_line("- Enfant : Tom")
    home.rest()
    home.tick("Tom", "both")
    home.rest()
    home.clock.advance(days=1)
    home.remember("Enfant : Max", AGENT, confidence=0.6)
    home.tick("Max", "keep")
    home.rest()
    assert now(home) == ["Enfant : Léa", "Enfant : Max", "Enfant : Tom"]


def test_a_kept_negation_stands_beside_what_it_denies_and_one_card_shows_both(vault):
    # memory.md rule 6
    home = vault()
    home.add_line("- accepte les appels le dimanche", "preferences")
    home.rest()
    home.remember("n'accepte pas les appels le dimanche", AGENT, "preference", confidence=0.6)
    home.tick("n'accepte pas", "keep")
    home.rest()
    assert len(now(home)) == 2
    assert [card.kind for card in home.open_cards()] == ["contradiction"]


# memory.md rule 7


@pytest.mark.parametrize("by", ["refused on its card", "deleted from the note"])
def test_what_was_rejected_is_not_proposed_again_for_180_days(vault, by):
    # memory.md rule 7
    home = vault()
    home.add_line("- vélo", "preferences")
    if by.startswith("refused"):
        home.remember("aime le thé", AGENT, "preference", confidence=0.6)
        home.tick("aime le thé", "refuse")
    else:
        home.add_line("- aime le thé", "preferences")
        home.rest()
        home.replace(line_with(home, "aime le thé") + "\n", "")
    home.rest()
    home.clock.advance(days=179)
    home.remember("Aime  le the.", AGENT, "preference", confidence=0.9)
    assert not home.open_cards()
    assert [one["text"] for one in asked(home, "facts", "--status", "rejected")] == ["aime le thé"]
    home.clock.advance(days=2)
    home.remember("Aime  le the.", AGENT, "preference", confidence=0.9)
    assert len(home.open_cards("proposal")) == 1


@pytest.mark.parametrize("hand", ["note", "terminal"])
def test_the_persons_hand_revives_what_was_rejected(vault, hand):
    # memory.md rule 7
    home = vault()
    home.remember("aime le thé", AGENT, "preference", confidence=0.6)
    home.tick("aime le thé", "refuse")
    home.rest()
    name = home.fact("aime le thé").id
    home.clock.advance(days=3)
    if hand == "note":
        home.add_line("- aime le thé", "preferences")
        home.rest()
    else:
        home.remember("aime le thé", kind="preference")
    fact = home.fact("aime le thé")
    assert (fact.id, fact.version, fact.status, fact.source) == (name, 2, "confirmed", "user")
    assert line_with(home, "aime le thé") == f"- aime le thé ^{name}"


@pytest.mark.parametrize("hand", ["note", "terminal"])
def test_the_persons_hand_confirms_what_was_proposed(vault, hand):
    home = vault()
    home.remember("aime le thé", AGENT, "preference", confidence=0.6)
    name = home.fact("aime le thé").id
    if hand == "note":
        home.add_line("- aime le thé", "preferences")
        home.rest()
    else:
        home.remember("aime le thé", kind="preference")
    fact = home.fact("aime le thé")
    assert (fact.id, fact.status, fact.source, fact.confidence) == (name, "confirmed", "user", 1.0)
    assert not home.open_cards()
    assert line_with(home, "aime le thé") == f"- aime le thé ^{name}"


def test_a_proposal_kept_after_the_person_wrote_it_elsewhere_makes_no_second_fact(vault):
    # memory.md rule 5
    home = vault()
    home.add_line("- Dentiste : Dr Martin")
    home.rest()
    home.clock.advance(days=30)
    home.remember("Dentiste : Dr Petit", AGENT, confidence=0.6)
    home.replace("Dr Martin", "Dr Petit")
    home.rest()
    if home.open_cards("proposal"):
        home.tick("Petit", "keep")
        home.rest()
    assert now(home) == ["Dentiste : Dr Petit"]
    assert home.profile().count("Dr Petit") == 1
    assert not home.open_cards()
