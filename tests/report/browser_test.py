#!/usr/bin/env python3
"""Opens a report as its readers do, in a headless Chromium: on a wide screen, on a phone, dark, and printed on A4. Fails
on anything that the console says, on an image or drawing that is missing or empty, on text that runs out of the page, and
on labels of a drawing that lie on each other.

usage: browser_test.py REPORT.html [FOLDER]     pictures of the pages go to FOLDER
"""

import base64
import pathlib
import subprocess
import sys
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

VIEWS = {"wide": (1280, 900, False), "phone": (390, 844, True), "dark": (1280, 900, False)}

# Elements whose text can be read past the page's edge: what scrolls by itself does not count.
FAULTS = """
const faults = [];
const width = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth > width)
    faults.push('the page is ' + document.documentElement.scrollWidth + ' wide, the screen ' + width);
for (const details of document.querySelectorAll('details')) details.open = true;
if (document.documentElement.scrollWidth > width) faults.push('an opened claim is wider than the screen');
for (const image of document.images)
    if (!image.complete || image.naturalWidth === 0) faults.push('no image: ' + image.src);
for (const drawing of document.querySelectorAll('svg')) {
    const box = drawing.getBoundingClientRect();
    const figure = drawing.closest('figure').id;
    if (box.width < 100 || box.height < 50) faults.push(figure + ' has no size');
    if (drawing.querySelectorAll('path, use').length < 3) faults.push(figure + ' is empty');
    const texts = [...drawing.querySelectorAll('text')].map(text => [text.textContent.trim(), text.getBoundingClientRect()])
        .filter(([text]) => text);
    if (texts.length < 4) faults.push(figure + ' has no labels');
    for (const [text, at] of texts)
        if (at.left < box.left - 1 || at.right > box.right + 1 || at.top < box.top - 1 || at.bottom > box.bottom + 1)
            faults.push(figure + ': "' + text + '" is cut');
    const shrink = 0.2;
    for (let i = 0; i < texts.length; ++i)
        for (let j = 0; j < i; ++j) {
            const a = texts[i][1], b = texts[j][1];
            const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (across > 1 && down > shrink * Math.min(a.height, b.height))
                faults.push(figure + ': "' + texts[i][0] + '" lies on "' + texts[j][0] + '"');
        }
}
for (const math of document.querySelectorAll('math'))
    if (math.getBoundingClientRect().height < 5) faults.push('an empty formula: ' + math.textContent.slice(0, 60));
for (const details of document.querySelectorAll('details.claim')) details.open = false;
return faults;
"""


def start():
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    # in a container the browser is root, which its sandbox refuses
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def command(driver, name, **arguments):
    return driver.execute_cdp_cmd(name, arguments)


def look(driver, page, view, folder):
    width, height, mobile = VIEWS[view]
    command(driver, "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
    scheme = [{"name": "prefers-color-scheme", "value": "dark" if view == "dark" else "light"}]
    command(driver, "Emulation.setEmulatedMedia", features=scheme)
    driver.get(page.as_uri())
    faults = driver.execute_script(FAULTS)
    faults += [entry["message"] for entry in driver.get_log("browser")]
    if folder:
        picture = command(driver, "Page.captureScreenshot", captureBeyondViewport=True,
                          clip={"x": 0, "y": 0, "width": width, "height": 6000, "scale": 1})
        (folder / f"{view}.png").write_bytes(base64.b64decode(picture["data"]))
    return faults


def print_out(driver, page, folder):
    driver.get(page.as_uri())
    answer = command(driver, "Page.printToPDF", paperWidth=8.27, paperHeight=11.69, marginTop=0.5, marginBottom=0.5,
                     marginLeft=0.5, marginRight=0.5)
    with tempfile.TemporaryDirectory() as name:
        file = (folder or pathlib.Path(name)) / "report.pdf"
        file.write_bytes(base64.b64decode(answer["data"]))
        text = subprocess.run(["pdftotext", "-layout", file, "-"], capture_output=True, text=True, check=True).stdout
    wanted = ["kvproof report", "Sources"]
    if driver.find_elements("css selector", "#claims"):
        wanted += ["Findings", "certificate", "enclosures of up to"]  # claims stand open on paper
    return [f"the print lacks {part!r}" for part in wanted if part not in text]


def main():
    page = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    driver = start()
    failed = False
    try:
        results = {view: look(driver, page, view, folder) for view in VIEWS}
        results["print"] = print_out(driver, page, folder)
        # what this test is there to notice
        with tempfile.TemporaryDirectory() as name:
            mutant = pathlib.Path(name) / "mutant.html"
            mutant.write_text(page.read_text().replace(
                "</main>", '<img src="missing.png" alt=""><p style="width: 2000px">wide</p>'
                           "<script>undefined_function()</script></main>"))
            noticed = " ".join(look(driver, mutant, "phone", None))
        parts = ("no image", "wide, the screen", "undefined_function")
        results["mutant"] = [f"{part!r} was not noticed" for part in parts if part not in noticed]
        for view, faults in results.items():
            print(f"{view}: {len(faults)} faults")
            for fault in faults[:20]:
                print("  ", fault)
            failed = failed or bool(faults)
    finally:
        driver.quit()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
