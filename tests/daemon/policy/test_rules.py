"""Each rule of the table by an example of its own, and what a delegation covers."""

from dataclasses import replace

import pytest

from config.i18n import catalogue
from daemon.policy.rules import RULES, covers
from parsers.model.policy import FLOOR, Argument, Budget
from tests.daemon.policy.acting import (
    CLIENT,
    COMPOSED,
    LEAVE,
    OWN_TEXT,
    PLANTED,
    POST,
    READ,
    SAID,
    SEND,
    TODAY,
    VAULT,
    WEB_TEXT,
    WRITE,
    decided,
    ruled,
)

BROAD = (LEAVE,)


def test_rule_1_a_managed_note_is_written_by_no_tool_whoever_asks():
    assert ruled(replace(WRITE, faults=frozenset({"managed"})), 2, BROAD) == (1, "refused")
    assert ruled(replace(READ, faults=frozenset({"managed"}))) == (9, "allowed")
    assert ruled(replace(CLIENT, risk="READ", faults=frozenset({"managed"}))) == (2, "refused")


@pytest.mark.parametrize("fault", ["outside", "ignored", "a fault not known"])
def test_rule_2_nothing_outside_the_vault_or_ignored_is_touched_or_read(fault):
    assert ruled(replace(WRITE, faults=frozenset({fault}))) == (2, "refused")
    assert ruled(replace(READ, faults=frozenset({fault}))) == (2, "refused")


@pytest.mark.parametrize("fault", ["private", "assistant"])
def test_rule_2_an_agent_names_no_private_note_and_not_the_assistant_folder(fault):
    assert ruled(replace(CLIENT, faults=frozenset({fault}))) == (2, "refused")
    assert ruled(replace(READ, origin="http", faults=frozenset({fault}))) == (2, "refused")
    assert ruled(replace(WRITE, faults=frozenset({fault}))) == (13, "allowed")


@pytest.mark.parametrize("sensitivity", ["private", "sensitive", "a word not known"])
def test_rule_3_private_and_sensitive_data_does_not_leave(sensitivity):
    secret = Argument("body", "text", "vault", said=False, sensitivity=sensitivity)
    found = decided(replace(POST, arguments=(SAID, secret)))
    assert (found.rule, found.kind, found.alert) == (3, "refused", True)
    assert ruled(replace(READ, effect="external", arguments=(secret,))) == (3, "refused")
    assert ruled(replace(WRITE, arguments=(secret,))) == (13, "allowed")


def test_rule_3_a_tool_is_given_only_the_classes_it_declares():
    card = Argument("body", "text", "user", said=True, classes=frozenset({"card", "email"}))
    assert ruled(replace(POST, arguments=(card,), accepts=frozenset({"email"}))) == (3, "refused")
    assert ruled(replace(POST, arguments=(card,), accepts=frozenset({"email", "card"}))) == (
        14,
        "run_approval",
    )
    assert ruled(replace(POST, arguments=(card,), accepts=None)) == (14, "run_approval")


def test_rule_3_what_is_sensitive_is_read_by_no_caller_outside():
    sensitive = replace(READ, sensitivity="sensitive")
    assert ruled(replace(sensitive, origin="mcp:claude-code", instruction="mcp:claude-code")) == (
        3,
        "refused",
    )
    assert ruled(replace(sensitive, local_reader=False)) == (3, "refused")
    assert ruled(replace(sensitive, origin="http", instruction="http", local_reader=True)) == (3, "refused")


@pytest.mark.parametrize("instruction", ["vault", "web", "connector:mail", "mcp:claude-code"])
def test_rule_4_only_the_person_widens_what_is_allowed(instruction):
    found = decided(replace(WRITE, lifts=True, instruction=instruction), 2, BROAD)
    assert (found.rule, found.kind, found.alert) == (4, "refused", True)
    assert ruled(replace(CLIENT, lifts=True, instruction="user"), 2, BROAD) == (4, "refused")


@pytest.mark.parametrize(
    "instruction", ["own", "vault", "automation", "mcp:other", "connector:mail", "web", "?"]
)
def test_rule_5_content_commands_nothing_that_leaves_or_stands_on_the_floor(instruction):
    found = decided(replace(SEND, instruction=instruction))
    assert (found.rule, found.kind, found.alert) == (5, "refused", True)
    assert ruled(replace(POST, instruction=instruction)) == (5, "refused")
    assert ruled(replace(WRITE, flags=frozenset({"permanent_delete"}), instruction=instruction)) == (
        5,
        "refused",
    )


def test_rule_5_a_caller_passes_on_nothing_it_found_in_content_below_the_vault():
    asked = replace(POST, origin="mcp:claude-code", instruction="mcp:claude-code")
    assert ruled(replace(asked, arguments=(PLANTED,))) == (5, "refused")
    assert ruled(replace(asked, arguments=(VAULT,))) == (7, "reinforced_approval")
    assert ruled(replace(asked, arguments=(COMPOSED,))) == (7, "reinforced_approval")
    assert ruled(replace(POST, arguments=(PLANTED,))) == (7, "reinforced_approval")


@pytest.mark.parametrize("level", [0, -1, 4, 9])
def test_rule_6_at_level_0_or_one_not_known_nothing_but_reading(level):
    assert ruled(WRITE, level, BROAD) == (6, "refused")
    assert ruled(SEND, level) == (6, "refused")
    assert ruled(READ, level) == (9, "allowed")


@pytest.mark.parametrize("argument", [PLANTED, COMPOSED, VAULT, replace(OWN_TEXT, role="deciding")])
def test_rule_7_where_something_goes_is_in_the_persons_own_words_or_takes_a_code(argument):
    assert ruled(replace(POST, arguments=(SAID, argument))) == (7, "reinforced_approval")
    assert ruled(replace(READ, effect="external", arguments=(argument,))) == (7, "reinforced_approval")
    assert ruled(replace(POST, arguments=(SAID,))) == (14, "run_approval")


def test_rule_7_callers_have_no_words_of_the_person():
    assert ruled(replace(POST, origin="mcp:claude-code", instruction="user")) == (7, "reinforced_approval")


@pytest.mark.parametrize("flag", [*sorted(FLOOR), "a flag not known"])
@pytest.mark.parametrize("level", [1, 2, 3])
def test_rule_8_the_floor_takes_a_code_at_every_level_and_no_delegation_covers_it(flag, level):
    assert ruled(replace(WRITE, flags=frozenset({flag})), level, BROAD) == (8, "reinforced_approval")
    assert ruled(replace(READ, flags=frozenset({flag})), level, BROAD) == (8, "reinforced_approval")


def test_rule_8_widening_takes_a_code_from_the_person_too():
    assert ruled(replace(WRITE, lifts=True), 3, BROAD) == (8, "reinforced_approval")


def test_rule_9_reading_is_allowed_and_what_is_sensitive_to_local_readers():
    assert ruled(READ) == (9, "allowed")
    assert ruled(replace(READ, origin="mcp:?", instruction="mcp:?", local_reader=False)) == (9, "allowed")
    assert ruled(replace(READ, sensitivity="sensitive")) == (9, "allowed")
    assert ruled(replace(READ, effect="external")) == (9, "allowed")


def test_rule_10_what_is_dangerous_or_cannot_be_undone_takes_a_code():
    assert ruled(replace(WRITE, risk="DANGEROUS"), 3, BROAD) == (10, "reinforced_approval")
    assert ruled(replace(WRITE, reversible=False), 3, BROAD) == (10, "reinforced_approval")


@pytest.mark.parametrize("argument", [WEB_TEXT, PLANTED, COMPOSED, replace(WEB_TEXT, provenance="mcp:x")])
def test_rule_11_text_or_target_from_elsewhere_is_approved(argument):
    assert ruled(replace(WRITE, arguments=(argument,)), 3, BROAD) == (11, "run_approval")
    assert ruled(replace(WRITE, arguments=(replace(argument, role="query"),))) == (13, "allowed")


def test_rule_11_a_call_without_arguments_is_chosen_by_what_was_read():
    assert ruled(replace(WRITE, arguments=(), read_below="web"), 3, BROAD) == (11, "run_approval")
    assert ruled(replace(WRITE, arguments=(), read_below="vault")) == (13, "allowed")


def test_rule_12_a_delegation_lets_writes_pass_for_the_origins_it_names():
    found = decided(CLIENT, 2, BROAD)
    assert (found.rule, found.kind, found.delegation) == (12, "allowed", LEAVE.id)
    assert (
        ruled(replace(CLIENT, arguments=(replace(WEB_TEXT, provenance="mcp:claude-code"),)), 1, BROAD)[0]
        == 12
    )
    web = replace(LEAVE, covers=("web",))
    assert ruled(replace(CLIENT, arguments=(WEB_TEXT,)), 1, (web,)) == (12, "allowed")
    assert ruled(replace(CLIENT, arguments=(WEB_TEXT,)), 1, BROAD) == (11, "run_approval")


def test_rule_12_an_instruction_that_is_content_is_no_ones_delegation():
    assert ruled(replace(WRITE, instruction="connector:mail"), 2, BROAD) == (14, "run_approval")
    assert ruled(replace(WRITE, instruction="connector:mail", arguments=(WEB_TEXT,)), 2, BROAD)[0] == 11


def test_rule_13_a_single_undoable_write_at_the_persons_request_passes_at_level_2():
    assert ruled(WRITE, 2) == (13, "allowed")
    assert ruled(replace(WRITE, arguments=(VAULT, OWN_TEXT)), 3) == (13, "allowed")


@pytest.mark.parametrize(
    ("action", "level"),
    [
        (WRITE, 1),
        (replace(WRITE, asked_writes=2), 2),
        (replace(WRITE, asked_writes=0), 2),
        (replace(WRITE, recent_writes=1), 2),
        (CLIENT, 3),
        (replace(WRITE, origin="scheduled", instruction="automation"), 3),
        (POST, 3),
    ],
)
def test_rule_14_any_other_write_is_approved(action, level):
    assert ruled(action, level) == (14, "run_approval")


def test_rule_0_what_no_rule_allows_is_refused():
    assert ruled(replace(WRITE, risk="ADMIN"), 3, BROAD) == (0, "refused")


# ---- delegations


@pytest.mark.parametrize(
    ("changes", "action"),
    [
        ({"status": "pending"}, WRITE),
        ({"status": "revoked"}, WRITE),
        ({"level": 2}, WRITE),
        ({"level": 4}, WRITE),
        ({"domain": "memory"}, WRITE),
        ({"review": TODAY}, WRITE),
        ({"review": ""}, WRITE),
        ({"origins": ()}, WRITE),
        ({"origins": ("mcp:claude-code",)}, WRITE),
        ({"per_day": 0}, WRITE),
        ({"per_run": 1}, replace(WRITE, asked_writes=2)),
        ({}, replace(WRITE, paths=("Projets/a.md",))),
        ({}, replace(WRITE, paths=("Réunions/a.md", "Projets/a.md"))),
        ({}, replace(WRITE, paths=("Réunions/../Projets/a.md",))),
        ({}, replace(WRITE, paths=())),
        ({}, replace(CLIENT, keyed=False)),
        ({"origins": ("mcp:?",)}, replace(CLIENT, origin="mcp:?", instruction="mcp:?")),
        ({}, replace(CLIENT, origin="mcp:other", instruction="mcp:other")),
        ({}, replace(CLIENT, instruction="mcp:other")),
        ({}, replace(WRITE, arguments=(WEB_TEXT,))),
        ({"covers": ("connector:mail",)}, replace(WRITE, arguments=(WEB_TEXT,))),
    ],
)
def test_a_delegation_covers_nothing_beyond_its_line(changes, action):
    assert covers(LEAVE, WRITE, Budget(), TODAY)
    assert not covers(replace(LEAVE, **changes), action, Budget(), TODAY)


@pytest.mark.parametrize(
    ("changes", "action"),
    [
        ({"paths": ()}, replace(WRITE, paths=())),
        ({"paths": ("Réunions/*.md",)}, WRITE),
        ({"paths": ("**/a.md",)}, WRITE),
        ({}, replace(WRITE, paths=("Réunions/2026/11/x.md",))),
        ({}, replace(WRITE, paths=("Re\u0301unions/a.md",))),
        (
            {"covers": ("connector:*",)},
            replace(WRITE, arguments=(replace(WEB_TEXT, provenance="connector:mail"),)),
        ),
        ({"covers": ("web",)}, replace(WRITE, arguments=(WEB_TEXT,))),
    ],
)
def test_a_delegation_covers_what_its_line_names(changes, action):
    assert covers(replace(LEAVE, **changes), action, Budget(), TODAY)


def test_a_budget_that_is_used_up_lets_nothing_more_pass_and_counts_what_is_asked_together():
    leave = replace(LEAVE, per_day=5, per_run=3)
    assert covers(leave, WRITE, Budget(4, 2), TODAY)
    assert not covers(leave, WRITE, Budget(5, 0), TODAY)
    assert not covers(leave, WRITE, Budget(0, 3), TODAY)
    assert not covers(leave, replace(WRITE, asked_writes=4), Budget(0, 0), TODAY)


# ---- explanations


def test_every_rule_and_every_reason_has_its_sentence_in_both_languages():
    for language in ("fr", "en"):
        words = catalogue(language)
        for number in (0, *(number for number, _ in RULES)):
            assert words.say(f"policy.rule.{number}")
        for action in (SEND, POST, READ, CLIENT, replace(WRITE, faults=frozenset({"outside", "x"}))):
            for key, value in decided(action).reasons:
                assert value in words.say(f"policy.reason.{key}", value=value)


def test_rule_15_now_is_written_by_whoever_may_call_from_level_1_on_whatever_they_had_read():
    now = replace(CLIENT, tool="brain_write", domain="now", paths=(), arguments=(WEB_TEXT,))
    assert ruled(now, 1) == (15, "allowed")
    assert ruled(now, 0) == (6, "refused")
    assert ruled(replace(now, tool="brain_focus", recent_writes=3), 3) == (15, "allowed")
    assert ruled(replace(now, tool="note_append"), 1) == (11, "run_approval")
    assert ruled(replace(now, domain="vault"), 1) == (11, "run_approval")
    assert ruled(replace(now, instruction="web"), 1) == (11, "run_approval")
    assert ruled(replace(now, effect="external"), 1)[1] != "allowed"


def test_the_rules_are_numbered_in_the_order_in_which_they_are_tried():
    assert [number for number, _ in RULES] == list(range(1, 16))
