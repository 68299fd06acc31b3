from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.scheduler import JOBS, NEW_DAY, REMINDER, BadSchedule, Job, cron, due, next_after
from parsers.errors import ClavaireError

PARIS = ZoneInfo("Europe/Paris")


def utc(spelt):
    return datetime.fromisoformat(spelt).replace(tzinfo=UTC)


def local(spelt, zone=PARIS):
    return datetime.fromisoformat(spelt).replace(tzinfo=zone)


def moments(spelt, last, now, zone=PARIS):
    return [moment for _, moment in due([Job("one", cron(spelt))], last, now, zone)]


def days(spelt, last, now):
    return [moment.astimezone(PARIS).date().isoformat() for moment in moments(spelt, last, now)]


def test_c29_a_daily_job_runs_once_in_the_night_the_clocks_go_back():
    job = Job("nightly", cron("30 2 * * *"))
    now, end = local("2025-10-25T12:00"), local("2025-10-27T12:00")
    runs = []
    while now < end:
        later = now.astimezone(UTC) + timedelta(minutes=10)
        runs += [moment for _, moment in due([job], now, later, PARIS)]
        now = later
    assert runs == [utc("2025-10-26T00:30"), utc("2025-10-27T01:30")]
    assert [run.astimezone(PARIS).date() for run in runs] == [date(2025, 10, 26), date(2025, 10, 27)]


def test_c29_a_restart_in_the_repeated_hour_adds_no_run():
    restart = utc("2025-10-26T01:00")
    assert moments("30 2 * * *", restart, utc("2025-10-26T12:00")) == []
    assert next_after([Job("nightly", cron("30 2 * * *"))], restart, PARIS) == utc("2025-10-27T01:30")


def test_c30_days_are_counted_from_sunday_and_1_to_5_is_monday_to_friday():
    last, now = local("2025-06-06T00:00"), local("2025-06-16T12:00")
    june = [f"2025-06-{day:02}" for day in (6, 9, 10, 11, 12, 13, 16)]
    assert days("0 9 * * 1-5", last, now) == june
    assert days("0 9 * * mon-fri", last, now) == june
    for sunday in ("0", "7", "sun", "SUN"):
        assert days(f"0 9 * * {sunday}", last, now) == ["2025-06-08", "2025-06-15"]


def test_a_time_that_the_spring_change_skips_runs_once_at_the_first_moment_after_it():
    last, now = local("2026-03-28T12:00"), local("2026-03-30T12:00")
    assert moments("30 2 * * *", last, now) == [utc("2026-03-29T01:00"), utc("2026-03-30T00:30")]
    assert moments("*/20 2 29 3 *", last, now) == [utc("2026-03-29T01:00")]
    assert next_after([Job("n", cron("30 2 * * *"))], utc("2026-03-29T00:59"), PARIS) == utc(
        "2026-03-29T01:00"
    )


def test_a_day_that_a_zone_left_out_runs_at_the_start_of_the_next():
    apia = ZoneInfo("Pacific/Apia")
    runs = moments("0 9 30 12 *", local("2011-12-28T00:00", apia), local("2012-01-03T00:00", apia), apia)
    assert runs == [local("2011-12-31T00:00", apia).astimezone(UTC)]


def test_a_job_of_every_hour_follows_elapsed_time_through_both_changes():
    for day in ("2025-10-25T21:10", "2026-03-28T21:10"):
        runs = moments("15 * * * *", utc(day), utc(day) + timedelta(hours=8))
        assert runs == [utc(day) + timedelta(minutes=5, hours=hour) for hour in range(8)]


def test_after_three_days_of_sleep_every_missed_occurrence_is_listed_in_order():
    last, now = local("2026-11-27T18:00"), local("2026-11-30T18:00")
    found = [
        (job.name, moment.astimezone(PARIS).isoformat()[:16]) for job, moment in due(JOBS, last, now, PARIS)
    ]
    assert found == [
        ("day", "2026-11-28T00:00"),
        ("day", "2026-11-29T00:00"),
        ("day", "2026-11-30T00:00"),
        ("reminder", "2026-11-30T09:00"),
    ]


def test_a_clock_that_was_set_back_makes_nothing_due():
    assert due(JOBS, utc("2026-11-30T12:00"), utc("2026-11-20T12:00"), PARIS) == []


@given(
    start=st.datetimes(datetime(2024, 1, 1), datetime(2027, 1, 1)),  # noqa: DTZ001 - made UTC below
    steps=st.lists(st.integers(0, 3 * 24 * 3600), max_size=12),
    zone=st.sampled_from(["Europe/Paris", "America/New_York", "Australia/Lord_Howe", "UTC"]),
)
def test_however_often_one_asks_each_occurrence_comes_exactly_once(start, steps, zone):
    jobs = [*JOBS, Job("odd", cron("30 2,23 * * *")), Job("often", cron("7 */6 * * *"))]
    first = now = start.replace(tzinfo=UTC)
    found = []
    for step in steps:
        later = now + timedelta(seconds=step)
        found += due(jobs, now, later, ZoneInfo(zone))
        now = later
    assert found == due(jobs, first, now, ZoneInfo(zone))
    assert len(found) == len(set(found))
    following = next_after(jobs, first, ZoneInfo(zone))
    assert found[0][1] == following if found else following > now


def test_the_day_of_the_month_or_that_of_the_week_is_enough_when_both_are_given():
    last, now = local("2026-11-01T00:00"), local("2026-11-30T23:00")
    assert days("0 9 13 * fri", last, now) == [f"2026-11-{day:02}" for day in (6, 13, 20, 27)]
    assert days("0 9 10 * fri", last, now) == [f"2026-11-{day:02}" for day in (6, 10, 13, 20, 27)]
    assert days("0 9 */10 * mon", last, now) == []
    assert days("0 9 */15 * mon", last, now) == ["2026-11-16"]


@pytest.mark.parametrize(
    ("spelt", "same"),
    [
        ("*/15 8-10 1,15 jan,Jul *", "0,15,30,45 8,9,10 1,15 1,7 *"),
        ("0-30/10 0 * * fri-sun", "0,10,20,30 0 * * 0,5,6"),
        ("0  0\t* * 5-7", "0 0 * * 5,6,0"),
        ("0 0 * * 0-7", "0 0 * * *"),
        ("0 0 * * sun-tue", "0 0 * * 0,1,2"),
    ],
)
def test_lists_ranges_steps_and_names_are_read(spelt, same):
    one, other = cron(spelt), cron(same)
    assert (one.minutes, one.hours, one.days, one.months, one.weekdays) == (
        (other.minutes, other.hours, other.days, other.months, other.weekdays)
    )


@pytest.mark.parametrize(
    ("spelt", "field", "found"),
    [
        ("0 9 * *", "number of fields", "4"),
        ("", "number of fields", "0"),
        ("@daily", "number of fields", "1"),
        ("60 9 * * *", "minute", "60"),
        ("0 24 * * *", "hour", "24"),
        ("0 9 0 * *", "day of the month", "0"),
        ("0 9 * 13 *", "month", "13"),
        ("0 9 * * 8", "day of the week", "8"),
        ("0 9 * * lun", "day of the week", "lun"),
        ("0 9 * * 1-5,x", "day of the week", "x"),
        ("*/0 * * * *", "minute", "*/0"),
        ("5/15 * * * *", "minute", "5/15"),
        ("30-10 * * * *", "minute", "30-10"),
        ("1,,2 * * * *", "minute", ""),
        ("٣ * * * *", "minute", "٣"),
        ("-1 * * * *", "minute", "-1"),
        ("0 9 30 2 *", "day of the month", "30"),
        ("0 9 31 4,6 *", "day of the month", "31"),
    ],
)
def test_a_line_that_is_no_cron_line_is_refused_in_one_sentence_naming_the_part_at_fault(spelt, field, found):
    with pytest.raises(BadSchedule) as caught:
        cron(spelt)
    assert isinstance(caught.value, ClavaireError)
    assert (caught.value.spelt, caught.value.field, caught.value.found) == (spelt, field, found)
    assert str(caught.value).count(field) == 1
    assert str(caught.value).endswith(".")


@given(st.text(st.sampled_from("0123456789*/-, \tsunjan²"), max_size=20))
def test_any_text_is_a_cron_line_or_refused(text):
    with suppress(BadSchedule):
        cron(text)


def test_the_next_29_february_is_found_across_a_year_that_has_none():
    leap = [Job("leap", cron("0 0 29 2 *"))]
    assert next_after(leap, local("2096-03-01T00:00"), PARIS) == local("2104-02-29T00:00").astimezone(UTC)


def test_our_own_jobs_are_midnight_and_monday_at_nine_of_the_persons_zone():
    now = local("2026-11-25T10:00")
    assert next_after([NEW_DAY], now, PARIS) == local("2026-11-26T00:00").astimezone(UTC)
    assert next_after([REMINDER], now, PARIS) == local("2026-11-30T09:00").astimezone(UTC)
    assert next_after(JOBS, now, PARIS) == local("2026-11-26T00:00").astimezone(UTC)
