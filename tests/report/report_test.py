#!/usr/bin/env python3
"""kvproof report on results of its own making: all of them are in the page, as they are; nothing in them is taken for
markup; the same files give the same bytes; other files are refused in one line.

usage: report_test.py KVPROOF SOURCE_DIR
"""

import copy
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from page_parser import Page, claim_faults, drawings, plain

kvproof, source = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
captures = source / "tests/data/captures"
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print("FAILED:", what)


def run(*arguments, cwd=None, env=None):
    return subprocess.run([kvproof, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, env=env)


def result(folder, name, *arguments, statuses=(0, 1)):
    done = run(*arguments, "--format", "json", "--quiet")
    assert done.returncode in statuses, done.stderr
    path = folder / f"{name}.json"
    path.write_text(done.stdout)
    return path


def make_results(folder):
    run("verify", "--quiet", "--out", folder / "verify")
    pair = [captures / "byte64_test.safetensors", "--calibration", captures / "byte64_calib.safetensors"]
    few = ["--layers", "0", "--queries", "last:4"]
    certificates = sorted((folder / "verify/certificates").glob("readkv.lemma7.*.cert"))
    return [
        folder / "verify/results.json",
        result(folder, "check", "check", *certificates),
        result(folder, "lloyd", "table", "lloyd", "--depth", "4", "--digits", "15"),
        result(folder, "separation-8", "table", "separation", "--dimension", "8", "--probes", "16"),
        result(folder, "separation-16", "table", "separation", "--dimension", "16", "--probes", "32"),
        result(folder, "probe", "probe", "hypercube:2", "--bits", "1..2", "--probes", "0..2"),
        result(folder, "probe-one", "probe", "pointer:2", "--bits", "2", "--probes", "1", "--coins", "none"),
        result(folder, "certify", "certify", *pair, *few, "--rows", folder / "rows.csv"),
        folder / "rows.csv",
        result(folder, "compare", "compare", *pair, *few, "--reader", "dense", "--reader", "readkv:8,4",
               "--reader", "kivi:2", "--reader", "full:4"),
        result(folder, "remainder", "montecarlo", "remainder", "--trials", "2000"),
        result(folder, "quantiser-noise", "montecarlo", "quantiser-noise", "--capture", *pair, "--trials", "100"),
        result(folder, "account", "account", "qwen2.5-7b", "--run", "causal:64"),
        result(folder, "account-one", "account", "qwen2.5-7b", "--system", "kivi:2", "--run", "causal:64"),
    ]


def rounded(number, digits):
    """As the page shows numbers of a table: the file's own text where it is no longer, else so many digits."""
    text = number if isinstance(number, str) else json.dumps(number)
    if len(text) <= digits + 2 and "/" not in text:
        return text
    numerator, _, denominator = text.partition("/")
    return f"{float(numerator) / float(denominator or 1):.{digits}g}"


def check_tables(page, results):
    """Numbers of the page against those of the files, row by row."""
    rows = {tuple(row) for row in page.rows}
    compare = json.loads((results / "compare.json").read_text())
    for row in compare["rows"]:
        wanted = (row["reader"], *(rounded(row[key], 4) for key in
                                   ("relative_error", "median", "max", "reads_percent", "capacity_percent")))
        check(any(found[:6] == wanted for found in rows), f"compare: no row {wanted}")
    for level in json.loads((results / "lloyd.json").read_text())["levels"]:
        gain = "–" if level["gain"] is None else rounded(level["gain"], 12)
        wanted = (str(level["t"]), rounded(level["distortion"], 12), gain, rounded(level["epsilon"], 12))
        check(wanted in rows, f"lloyd: no row {wanted}")
    for line in json.loads((results / "probe.json").read_text())["results"]:
        coins = line["randomised"]
        coins = coins["lower"] if coins["lower"] == coins["upper"] else f"[{coins['lower']}, {coins['upper']}]"
        wanted = (str(line["bits"]), str(line["probes"]), line["class"], line["deterministic"]["risk"], coins)
        check(wanted in rows, f"probe: no row {wanted}")
    for name, metric in json.loads((results / "remainder.json").read_text())["metrics"].items():
        wanted = (name, *(rounded(metric[key], 6) for key in ("mean", "lower", "upper")), str(metric["samples"]),
                  metric["method"], metric["meaning"])
        check(wanted in rows, f"montecarlo: no row {wanted}")
    for line in json.loads((results / "account.json").read_text())["systems"]:
        check((line["system"], line["reads_percent"], line["capacity_percent"]) in rows, f"account: {line['system']}")
    for layer in json.loads((results / "certify.json").read_text())["per_layer"]:
        wanted = (str(layer["layer"]), *(rounded(layer[key]["mean"], 4) for key in ("error_sq", "sharp_bound", "bound")),
                  str(layer["violations"]))
        check(wanted in rows, f"certify: no row {wanted}")


def check_summary(page, claims):
    undecided = sum(claim["verdict"] == "undecided" and claim["why"] != "effort" for claim in claims)
    counts = [sum(claim["verdict"] == verdict for claim in claims) for verdict in ("proved", "refuted", "supported")]
    left_out = sum(claim["why"] == "effort" for claim in claims)
    wanted = ["all", str(len(claims)), *map(str, counts), str(undecided), str(left_out)]
    check(wanted in page.rows, f"summary: no row {wanted}")
    heads = [row[0] for row in page.rows]
    for claim in claims:
        if claim["id"].startswith("paper.audit."):
            fails = claim["verdict"] == "refuted" or claim["witness"].get("printed digits") == "fail"
            check((claim["id"].removeprefix("paper.audit.") in heads) == fails, f"audit table: {claim['id']}")


def report(folder, files, *more, **options):
    return run("report", *files, "--out", folder / "report.html", "--markdown", folder / "report.md", *more, **options)


def check_markdown(text, claims):
    for claim in claims:
        check(f"`{claim['id']}`" in text, f"Markdown lacks {claim['id']}")
    width = 0
    for line in text.split("\n"):
        cells = len(re.findall(r"(?<!\\)\|", line))
        if line.startswith("|"):
            check(not width or cells == width, f"a Markdown row of {cells} bars: {line[:100]}")
            width = cells
        else:
            width = 0


def check_whole(folder, results, files):
    done = report(folder, files, "--plots", folder / "plots")
    check(done.returncode == 0 and not done.stderr, f"report: {done.stderr}")
    check(done.stdout == f"{folder}/report.html\n{folder}/report.md\n", "stdout names what was written")
    text = (folder / "report.html").read_text()
    claims = json.loads((results / "verify/results.json").read_text())["claims"]
    page = Page(text)
    for fault in page.faults + claim_faults(page, claims):
        check(False, fault)
    check("{{" not in text, "a template's tag is left over")
    check(str(folder) not in text and str(source) not in text, "the page names a folder of this machine")
    check(not [link for link in page.links if re.match("[a-z]+:", link) and link != "data:,"], "the page needs the network")
    found = drawings(text)
    names = {figure.stem for figure in (folder / "plots").glob("*.svg")}
    check(len(found["svg"]) == len(names) == 10, f"{len(found['svg'])} drawings, files {sorted(names)}")
    for drawing in found["svg"]:
        children = [child.tag.rpartition("}")[2] for child in drawing]
        check(children[:2] == ["title", "desc"] and all(child.text for child in drawing[:2]), "a drawing without words")
    check(len(found["math"]) > 100, "formulas are typeset")
    check("certificates were re-checked" in plain(text) and "all valid" in plain(text), "the checker's answers are told")
    check_tables(page, results)
    check_summary(page, claims)
    markdown = (folder / "report.md").read_text()
    check_markdown(markdown, claims)
    for name in names:
        check(f"(<plots/{name}.svg>)" in markdown, f"Markdown links {name}")
    # mutants: what these checks are there to notice
    cut = re.sub(r'<details class="claim" id="readkv.thm2.upper">.*?</details>', "", text, flags=re.S)
    check("readkv.thm2.upper is missing" in claim_faults(Page(cut), claims), "mutant: a claim that is left out")
    sha = next(claim["sha256"] for claim in claims if claim["id"] == "readkv.thm2.lower")
    check(claim_faults(Page(text.replace(sha, "0" * 64)), claims) != [], "mutant: another hash")
    check(Page(text.replace("</table>", "", 1)).faults != [], "mutant: a tag that is not closed")
    return text


def check_same_bytes(folder, files, text):
    """Elsewhere, under other names of folders and locales: the same page."""
    with tempfile.TemporaryDirectory() as name:
        other = pathlib.Path(name)
        copies = []
        for file in files:
            place = other / "in" / ("verify" if file.name == "results.json" else "")
            place.mkdir(parents=True, exist_ok=True)
            copies.append(pathlib.Path(shutil.copy(file, place)))
        (other / "rc").write_text("set title 'from a startup file'\n")
        env = {**os.environ, "LC_ALL": "de_DE.UTF-8", "LANG": "C", "GNUTERM": "dumb", "HOME": name}
        (other / ".gnuplot").write_text("set title 'from a startup file'\n")
        done = run("report", *copies, "--out", "page.html", "--threads", "3", cwd=name, env=env)
        check(done.returncode == 0, done.stderr)
        # certificates that lie below the page are links there, and plain hashes here
        unlinked = re.sub(r'<a href="verify/certificates/[^"]*">([0-9a-f]{64})</a>', r"\1", text)
        check((other / "page.html").read_text() == unlinked, "the same files give other bytes elsewhere")


HOSTILE = "<script>alert('x')</script> & {{id}} {{{style}}} \"'` | <b onclick=x> ]]> --> é\u2028\\"


def check_hostile(results):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        verify = json.loads((results / "verify/results.json").read_text())
        claim = next(claim for claim in verify["claims"] if claim["verdict"] == "refuted")
        for key in ("reference", "statement", "scope", "note"):
            claim[key] = key + HOSTILE
        claim["witness"] = {HOSTILE: HOSTILE, "fails": [HOSTILE, HOSTILE]}
        (folder / "results.json").write_text(json.dumps(verify))
        compare = json.loads((results / "compare.json").read_text())
        compare["capture"] = "/somewhere/" + HOSTILE.replace("/", "") + ".safetensors"
        compare["rows"][1]["reader"] = HOSTILE
        compare["left_out"] = [HOSTILE]
        (folder / "compare.json").write_text(json.dumps(compare))
        montecarlo = json.loads((results / "remainder.json").read_text())
        montecarlo["metrics"][HOSTILE] = montecarlo["metrics"].pop("sum")
        montecarlo["metrics"]["near"]["meaning"] = HOSTILE
        montecarlo["parameters"] = {HOSTILE: HOSTILE}
        (folder / "montecarlo.json").write_text(json.dumps(montecarlo))
        probe = json.loads((results / "probe.json").read_text())
        probe["family"] = HOSTILE
        (folder / "probe.json").write_text(json.dumps(probe))
        account = json.loads((results / "account.json").read_text())
        account["model"] = account["systems"][0]["system"] = HOSTILE
        (folder / "account.json").write_text(json.dumps(account))
        names = ("results", "compare", "montecarlo", "probe", "account")
        done = report(folder, [folder / f"{name}.json" for name in names])
        check(done.returncode == 0, f"hostile texts: {done.stderr}")
        text = (folder / "report.html").read_text()
        page = Page(text)
        for fault in page.faults + claim_faults(page, verify["claims"]):
            check(False, f"hostile texts: {fault}")
        check(any(HOSTILE in cell for row in page.rows for cell in row), "hostile texts stand as they are")
        drawings(text)
        check_markdown((folder / "report.md").read_text(), verify["claims"])


def check_refusals(results):
    verify = json.loads((results / "verify/results.json").read_text())

    def edited(change, document=None):
        copied = copy.deepcopy(verify if document is None else document)
        change(copied)
        return json.dumps(copied)

    lloyd = json.loads((results / "lloyd.json").read_text())
    rows = (results / "rows.csv").read_text()
    cases = [
        ("", "found an empty file"),
        ("not json", "byte"),
        ("[1, 2]", "found an array"),
        ("{}", "without a known set of members"),
        ('{"claims": []}', "claims without verdicts"),
        ('{"cell": {}, "sha256": ""}', "--resume"),
        ((results / "verify/results.json").read_text()[:-40], "byte"),
        (edited(lambda v: v["claims"][0].pop("verdict")), "claims[0]: verdict: found nothing"),
        (edited(lambda v: v["claims"][0].update(verdict="true")), 'found "true", expected one of proved'),
        (edited(lambda v: v["claims"][0].update(id="a b")), "letters, digits"),
        (edited(lambda v: v["claims"][0].update(certificate="../x")), "below the folder"),
        (edited(lambda v: v["claims"][0].update(certificate="javascript:x")), "below the folder"),
        (edited(lambda v: v["claims"][0].update(sha256="beef")), "64 hex digits"),
        (edited(lambda v: v["claims"][0].update(slack="two")), "expected a number"),
        (edited(lambda v: v["claims"].append(v["claims"][0])), "a second time"),
        (edited(lambda v: v["summary"].update(proved=1)), "the number of such claims"),
        (edited(lambda v: v["levels"].pop(0), lloyd), "one depth after the other"),
        (edited(lambda v: v["levels"][2]["centroids"].pop(), lloyd), "3 numbers"),
        (edited(lambda v: v["levels"][2].update(distortion="nan"), lloyd), "expected a number"),
        (rows.replace("sharp_bound", "other_bound"), "no column sharp_bound"),
        (rows[: len(rows) // 2], "line"),
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for text, expected in cases:
            (folder / "case.json").write_text(text)
            done = report(folder, [folder / "case.json"])
            one_line = done.stderr.startswith("kvproof: ") and done.stderr.count("\n") == 1
            check(done.returncode == 2 and one_line and "case.json" in done.stderr and expected in done.stderr,
                  f"{text[:40]!r}...: status {done.returncode}, {done.stderr!r}, expected {expected!r}")
            check(not done.stdout and [path.name for path in folder.iterdir()] == ["case.json"], "something was written")
        for files, expected in (([folder / "missing.json"], "missing.json"),
                                ([results / "verify/results.json"] * 2, "a second file of kvproof verify")):
            done = report(folder, files)
            check(done.returncode == 2 and expected in done.stderr, f"{expected}: {done.stderr!r}")
        lloyd_file = shutil.copy(results / "lloyd.json", folder / "case.json")
        for options in (["--out", lloyd_file], ["--out", folder / "new", "--markdown", folder / "new"],
                        ["--out", folder / "new", "--markdown", f"{name}/./case.json"], ["--no-plots", "--plots", "x"]):
            done = run("report", lloyd_file, *options, cwd=name)
            check(done.returncode == 2 and done.stderr.count("\n") == 1 and not (folder / "new").exists(),
                  f"{options}: {done.returncode} {done.stderr!r}")
        check((folder / "case.json").read_text() == (results / "lloyd.json").read_text(), "a result was overwritten")
        answer = json.loads(run("report", lloyd_file, "--out", "page.html", "--format", "json", cwd=name).stdout)
        check(answer["html"] == "page.html" and answer["sources"][0]["kind"] == "kvproof table lloyd", "--format json")
        nowhere = {**os.environ, "PATH": name}
        os.symlink("/usr/bin/env", folder / "env")
        done = report(folder, [results / "lloyd.json"], env=nowhere)
        check(done.returncode == 2 and "gnuplot-nox" in done.stderr and done.stderr.count("\n") == 1,
              f"without gnuplot: {done.returncode} {done.stderr!r}")
        check(not (folder / "report.html").exists(), "a page without its plots")
        done = report(folder, [results / "lloyd.json"], "--no-plots", env=nowhere)
        check(done.returncode == 0 and "<svg" not in (folder / "report.html").read_text(), "--no-plots needs no gnuplot")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = make_results(folder)
        text = check_whole(folder, folder, files)
        check_same_bytes(folder, files, text)
        check_hostile(folder)
        check_refusals(folder)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
