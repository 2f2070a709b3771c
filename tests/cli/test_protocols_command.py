"""`paragone judges protocols`: what a judge's protocols are worth on labelled pairs."""

import json


def test_the_values_of_each_protocol_and_what_follows_for_the_configuration(paragone, home):
    ids = [f"i{n:02}" for n in range(60)]
    (home / "texts.jsonl").write_text("\n".join(json.dumps({"id": id, "text": f"{id} " * 30}) for id in ids))
    rows = "\n".join(f"{a},{b},{a}" for a, b in zip(ids[::2], ids[1::2], strict=True))
    (home / "labels.csv").write_text(f"a,b,winner\n{rows}\n")
    (home / "truth.csv").write_text("id,score\n" + "\n".join(f"{id},{1 - at % 2}" for at, id in enumerate(ids)) + "\n")
    spec = "simulated:truth.csv?panel_noise=0.5&tokens=-1"
    command = ["judges", "protocols", "texts.jsonl", "--labelled", "labels.csv", "-c", "merit", "-j", spec, "--seed", 1]
    values = json.loads(paragone(*command, "--json").out)
    assert [value["protocol"] for value in values] == ["direct", "panel", "debate"]
    assert all(value["answered"] == 30 for value in values)
    shown = paragone(*command).out
    assert "bits per 1,000 tokens" in shown
    assert f"policy.panel_sharpness = {values[1]['sharpness']:.2f}" in shown
