"""A newcomer begins in a real browser: without scripts, with a file, and with what is changed later."""

import pytest

IDEAS = "id,text\n" + "".join(f"i{number},The idea with the number {number}.\n" for number in range(12))


@pytest.mark.timeout(300)
def test_a_newcomer_without_scripts_pastes_a_list_sees_what_it_takes_and_starts_it(site):
    """With scripts, and what each of its pages is like, is told in the story of a newcomer."""
    with site.tab("/", 390, java_script_enabled=False) as (page, wrong):
        page.click("text=Begin a tournament")
        page.wait_for_url("**/begin")
        page.fill("#pasted", "only one")
        page.click("text=See what was understood")
        assert "a ranking needs at least two" in page.inner_text("[role=alert]")
        wrong.clear()  # the console says that the answer was 422
        page.fill("#pasted", IDEAS)
        page.click("text=See what was understood")
        assert "12 items" in page.inner_text("#understood")
        page.fill("#name", "From the browser")
        page.fill("#criteria", "the better idea")
        page.fill("#budget", "24")
        page.click("text=See what it will take")
        page.wait_for_url("**/live/start")
        assert "at most 24 decisions" in page.inner_text("main")
        page.click("text=Start it")
        page.wait_for_url("**/live")
        assert "From the browser" in page.inner_text("nav.pool")
        assert wrong == []


@pytest.mark.timeout(300)
def test_a_file_is_uploaded_and_people_judge(site, tmp_path):
    (tmp_path / "names.txt").write_text("Ada\nGrace\nHedy\n")
    with site.tab("/begin", 390) as (page, wrong):
        page.set_input_files("#file", tmp_path / "names.txt")
        page.click("text=See what was understood")
        assert "3 items" in page.inner_text("#understood")
        page.fill("#name", "Names")
        page.fill("#criteria", "easier to remember")
        page.click("text=people, who vote")
        page.click("text=See what it will take")
        page.wait_for_url("**/pools/names-1/vote")
        page.wait_for_selector("#who:not([hidden]), #pair:not([hidden])")
        assert wrong == []


@pytest.mark.timeout(300)
def test_items_join_directives_hold_and_an_item_retires_from_its_page(site):
    with site.tab("/pools/tournament-1/change") as (page, wrong):
        page.fill("#pasted", "id,text\nextra,A late idea")
        page.click("button:text-is('Add')")
        assert "Items added: 1." in page.inner_text("[role=status].note")
        page.fill("#text", "Heed the cost.")
        page.click("text=Direct the judges")
        assert "is heeded" in page.inner_text("[role=status].note")
        page.goto(f"{site.url}/pools/tournament-1/items/extra")
        page.click("text=Retire it")
        assert page.input_value("#items") == "extra"
        page.fill("#reason", "came late")
        page.click("button:text-is('Retire')")
        assert "came late" in page.inner_text("#retired")
        page.click("#retired button")
        assert "available again" in page.inner_text("[role=status].note")
        assert wrong == []
