"""Plans.base: YAML that Obsidian reads as a base, each status in one view."""

from typing import get_args

import pytest
import yaml

from config.i18n import catalogue
from config.paths import NAMES
from parsers.model.runs import RunStatus
from renderers.plans_base import render


@pytest.mark.parametrize("locale", ["fr", "en"])
def test_each_status_that_a_note_shows_stands_in_exactly_one_view_and_the_last_lists_all(locale):
    base = yaml.safe_load(render(NAMES.plans, catalogue(locale)))
    assert base["filters"]["and"] == [f'file.inFolder("{NAMES.plans}")', 'note.clavaire == "plan"']
    *some, every = base["views"]
    listed = [one for view in some for one in view["filters"]["or"]]
    assert sorted(listed) == sorted(
        f'note.status == "{one}"' for one in get_args(RunStatus) if one != "proposed"
    )
    assert "filters" not in every
    assert all(view["groupBy"] == {"property": "note.status", "direction": "ASC"} for view in base["views"])
    assert all(view["order"] == list(base["properties"]) for view in base["views"])


def test_a_folder_with_quotes_stays_one_text():
    base = yaml.safe_load(render('l\'été "x"', catalogue("fr")))
    assert base["filters"]["and"][0] == 'file.inFolder("l\'été \\"x\\"")'
