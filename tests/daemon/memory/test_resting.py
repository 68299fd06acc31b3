from hypothesis import given
from hypothesis import strategies as st

from daemon.memory.over import Over
from daemon.memory.resting import Resting

names = st.frozensets(st.sampled_from("abcdefgh"))
sections = st.dictionaries(st.sampled_from(("facts", "goals")), names.filter(bool))


def _apart(found):
    """Sections whose ids do not overlap: a fact stands in one."""
    seen, apart = set(), {}
    for section, ids in found.items():
        apart[section] = ids - seen
        seen |= ids
    return apart


@given(sections.map(_apart), names)
def test_what_rests_is_every_fact_of_the_sections_but_some(stood, but):
    resting, all_of_them = Resting(stood, but), frozenset().union(*stood.values())
    assert resting.ids == all_of_them - but == {name for name in "abcdefgh" if name in resting}


@given(sections.map(_apart), names, names)
def test_what_is_left_of_a_section_is_what_does_not_rest(stood, but, others):
    resting = Resting(stood, but)
    for section, ids in stood.items():
        assert resting.others(section, ids) == resting.others("", ids) == ids - resting.ids
    assert resting.others("facts", others) == others - resting.ids


@given(sections.map(_apart), names, sections)
def test_resting_facts_are_joined_with_those_that_were_looked_at(stood, but, ids):
    joined = Resting(stood, but).joined(ids)
    plain = {
        name: (stood.get(name, frozenset()) - but) | ids.get(name, frozenset()) for name in {*stood, *ids}
    }
    assert joined == {section: found for section, found in plain.items() if found}
    for section, found in joined.items():
        assert found != stood.get(section) or found is stood[section]


@given(
    st.dictionaries(st.sampled_from("abc"), st.integers()),
    st.dictionaries(st.sampled_from("bcd"), st.integers()),
)
def test_a_scratch_reads_as_its_base_with_what_was_put_in_it(base, put):
    before, scratch = dict(base), Over(base)
    scratch.update(put)
    merged = {**before, **put}
    assert dict(scratch) == merged
    assert list(scratch.values()) == list(merged.values())
    assert len(scratch) == len(merged)
    assert [scratch.get(key) for key in "abcd"] == [merged.get(key) for key in "abcd"]
    assert base == before
