"""Runs the pages at / and /docs in Chromium (make test-page).

    test_page.py DECANT [unittest arguments]

Each test uses the release binary with its default settings, unless it says otherwise. Screenshots are written to
.build/page/screenshots, for a person to look at.
"""

import base64
import contextlib
import functools
import http.server
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / ".build/page/screenshots"
EXAMPLES = json.loads((ROOT / "Sources/CDocuments/site/examples.json").read_text())
DECANT = ""


class Service:
    """A running service on a free port."""

    def __init__(self, *flags):
        command = [DECANT, "serve", "--port", "0", "--log-level", "error", "--access-log", "off", *flags]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if "ready at " not in line:
            raise RuntimeError(f"the service did not start: {line}")
        self.url = re.search(r"ready at (\S+)", line)[1].rstrip("/") + "/"

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def send(self, target, content=None, fields=None):
        """Returns the status and the content of a response."""
        request = urllib.request.Request(self.url.rstrip("/") + target, content, fields or {})
        try:
            with urllib.request.urlopen(request) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.status, error.read().decode()


def content_of(example):
    request = example["request"]
    return base64.b64decode(request["base64"]) if "base64" in request else request["content"].encode()


@contextlib.contextmanager
def origin(content, media_type):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class PageTestCase(unittest.TestCase):
    flags = ()

    @classmethod
    def setUpClass(cls):
        cls.service = Service(*cls.flags)
        cls.addClassCleanup(cls.service.stop)
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for argument in (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--force-color-profile=srgb",
            "--disable-dev-shm-usage",
        ):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        cls.browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
        cls.addClassCleanup(cls.browser.quit)
        # axe-core examines thousands of elements of the reference.
        cls.browser.set_script_timeout(180)

    def setUp(self):
        self.show(1280, 900)
        self.browser.get_log("browser")
        self.browser.get_log("performance")
        self.open()

    def tearDown(self):
        errors = [
            entry
            for entry in self.browser.get_log("browser")
            if entry["level"] == "SEVERE"
            and not re.search(r"/v1/\S+ - Failed to load resource: .* status of 4\d\d", entry["message"])
        ]
        self.assertEqual(errors, [], "the console has errors")
        events = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        urls = {event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"}
        elsewhere = {
            url[:80] for url in urls if not url.startswith((self.service.url, "data:", "blob:" + self.service.url))
        }
        self.assertEqual(elsewhere, set(), "the page sent requests to another origin")

    # The browser

    def show(self, width, height, scheme="light"):
        self.browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )
        self.browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        )

    def open(self, path=""):
        self.browser.get("about:blank")
        self.browser.get(self.service.url + path)
        if not path:
            self.wait(lambda: self.all("#options [data-option]"))

    def wait(self, condition, seconds=20):
        return WebDriverWait(self.browser, seconds, poll_frequency=0.02).until(lambda _: condition())

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.browser.execute_script("return document.querySelector(arguments[0]).textContent", selector)

    def js(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def until_shown(self, action):
        """Performs an action that sends a request, and waits for its result."""
        self.js("document.getElementById('summary').replaceChildren()")
        action()
        self.wait(
            lambda: self.js(
                "return document.getElementById('summary').textContent && !document.body.classList.contains('busy')"
            )
        )

    def choose(self, title):
        buttons = {button.text: button for button in self.all("#examples button")}
        self.until_shown(buttons[title].click)

    def enter(self, text):
        """Replaces the text of the editor as a person does who pastes it."""
        self.until_shown(
            lambda: self.js(
                """
            const editor = document.getElementById('text')
            editor.focus()
            editor.select()
            document.execCommand('insertText', false, arguments[0])
        """,
                text,
            )
        )

    def drop(self, content, name, media_type):
        self.js(
            "window.content = Uint8Array.from(atob(arguments[0]), c => c.charCodeAt(0))",
            base64.b64encode(content).decode(),
        )
        script = """
            const dataTransfer = new DataTransfer()
            dataTransfer.items.add(new File([content], arguments[0], { type: arguments[1] }))
            for (const type of ['dragenter', 'dragover', 'drop']) {
                const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true })
                document.getElementById('text').dispatchEvent(event)
            }
        """
        self.until_shown(lambda: self.js(script, name, media_type))

    def drag_text(self, text, selector):
        """Drags text from elsewhere and drops it on an element."""
        x, y = self.js(
            "const box = document.querySelector(arguments[0]).getBoundingClientRect();"
            "return [box.x + box.width / 2, box.y + box.height / 2]",
            selector,
        )
        data = {"items": [{"mimeType": "text/plain", "data": text}], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.browser.execute_cdp_cmd("Input.dispatchDragEvent", {"type": kind, "x": x, "y": y, "data": data})

    def paste(self, text):
        """Pastes text that is too long for the editor."""
        script = """
            const clipboardData = new DataTransfer()
            clipboardData.setData('text/plain', arguments[0])
            const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
            document.getElementById('text').dispatchEvent(event)
        """
        self.until_shown(lambda: self.js(script, text))

    def set_field(self, name, value):
        """Enters the value of a field, and waits for the result."""
        script = (
            "const field = document.getElementById(arguments[0]);"
            "field.value = arguments[1]; field.dispatchEvent(new Event('input'))"
        )
        self.until_shown(lambda: self.js(script, name, value))

    def longest_step_of_drop(self, content, attempts=3, enough=100):
        """The milliseconds of the longest step after a drop. Other processes prolong steps: the best attempt counts."""
        longest = []
        for _ in range(attempts):
            self.open()
            self.js("""
                window.steps = []
                const add = entries => steps.push(...entries.map(entry => entry.duration))
                window.observer = new PerformanceObserver(list => add(list.getEntries()))
                observer.observe({ type: 'longtask' })
                window.longestStep = () => { add(observer.takeRecords()); return Math.max(...steps) }
                setTimeout(() => { const end = performance.now() + 60; while (performance.now() < end) {} })
            """)
            self.wait(lambda: self.js("return longestStep() >= 60"))
            self.js("steps.length = 0; steps.push(0)")
            self.drop(content, "rows.json", "application/json")
            self.wait(lambda: self.all(".tree .more"))
            self.browser.execute_async_script(
                "const done = arguments[0]; requestAnimationFrame(() => setTimeout(() => setTimeout(done)))"
            )
            longest.append(self.js("return longestStep()"))
            if longest[-1] <= enough:
                break
        return min(longest)

    def results_of_calls(self):
        """Runs "The same call" in each language, and returns the code and the result."""
        for language, command in (
            ("curl", ["bash", "-c"]),
            ("Python", [sys.executable, "-c"]),
            ("JavaScript", ["node", "--input-type=module", "-e"]),
        ):
            if not shutil.which(command[0]):
                self.fail(f"{command[0]} is not installed")
            self.browser.find_element(By.XPATH, f"//*[@id='languages']/button[.='{language}']").click()
            code = self.text("#call")
            if language == "curl":
                code = code.replace("curl ", "curl -s ", 1)
            if language == "JavaScript":
                code = code.replace("console.log(result)", "console.log(JSON.stringify(result))")
            with self.subTest(language=language):
                result = subprocess.run([*command, code], capture_output=True, text=True)
                self.assertEqual(result.returncode, 0, result.stderr)
                yield language, json.loads(result.stdout)

    def shown_value(self):
        """The value in the tree, all of which is opened, as JSON text."""
        return self.js("""
            const tree = document.querySelector('[role=tree]')
            const closed = () => [...tree.querySelectorAll('[aria-expanded=false]')]
            while (closed().length) closed().forEach(item => item.open())
            const isShow = button => button.textContent.startsWith('show')
            const buttons = () => [...tree.querySelectorAll('button')].filter(isShow)
            while (buttons().length) buttons().forEach(button => button.click())
            const isText = node => !node.matches?.('.fold, .kind, .warning, button')
            const line = row => [...row.childNodes].filter(isText).map(node => node.textContent).join('')
            const text = item => [...item.children]
                .map(child => child.matches('[role=group]') ? [...child.children].map(text).join('') : line(child)).join('')
            return text(tree.firstElementChild)
        """)

    def capture(self, name):
        """Writes a screenshot of the whole page."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        size = self.browser.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 4000), "scale": 1}
        image = self.browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        (SCREENSHOTS / f"{name}.png").write_bytes(base64.b64decode(image["data"]))


class ExampleTests(PageTestCase):
    def test_there_are_ten_examples(self):
        self.assertEqual([button.text for button in self.all("#examples button")], [row["title"] for row in EXAMPLES])
        self.assertEqual(len(EXAMPLES), 10)

    def test_every_example_shows_the_response_of_the_service(self):
        for example in EXAMPLES:
            with self.subTest(example["title"]):
                request = example["request"]
                status, text = self.service.send(request["target"], content_of(example), request["fields"])
                response = json.loads(text)
                self.choose(example["title"])
                if status == 200:
                    self.assertIn(response["outcome"], self.text("#summary"))
                else:
                    self.assertIn(f"{status} problem", self.text("#summary"))
                    self.assertEqual(self.text(".trouble h3"), response["title"])
                    self.assertEqual(self.text(".trouble p"), response["detail"])
                    self.assertEqual(len(self.all(".steps li")), len(response["chain"]))
                if "value" in response:
                    self.assertEqual(json.loads(self.shown_value()), response["value"])

    def test_numbers_keep_their_digits(self):
        self.choose("JSON")
        self.assertIn('"id": 9007199254740993', self.text(".tree"))
        self.assertIn('"price": 1.20', self.text(".tree"))

    def test_a_warning_is_beside_its_line(self):
        self.choose("JSON")
        rows = [row for row in self.all(".tree .row") if '"price"' in row.text]
        self.assertEqual(len(rows), 1)
        self.assertIn("more than once", rows[0].find_element(By.CSS_SELECTOR, ".warning").text)
        rows[0].find_element(By.CSS_SELECTOR, ".warning button").click()
        self.assertEqual(
            self.js(
                "const { value, selectionStart } = document.getElementById('text');"
                "return value.slice(selectionStart, selectionStart + 7)"
            ),
            '"price"',
        )

    def test_a_problem_marks_its_position(self):
        self.choose("Missing comma")
        here = self.all(".frame .here")
        self.assertEqual(here[0].find_element(By.CSS_SELECTOR, "i").text, "5")
        self.assertEqual(here[0].find_element(By.CSS_SELECTOR, "mark").text, '"')
        line, caret = (self.js("return arguments[0].lastElementChild.textContent", row) for row in here)
        self.assertEqual(line.index('"count"'), caret.index("^"))

    def test_a_hint_is_a_button_that_applies_it(self):
        for title, option in (
            ("Comments", "lenient"),
            ("Broken feed", "lenient"),
            ("Windows-1252", "type"),
            ("SOAP fault", "accept-status"),
        ):
            with self.subTest(title):
                self.choose(title)
                self.until_shown(self.one(".hint .primary").click)
                self.assertIn("value", self.text("#summary .badge"))
                self.assertIn(f"?{option}=", self.text("#call"))
                self.assertTrue(self.all(f"[data-option={option}].set"))

    def test_a_photo_has_pictures(self):
        self.choose("Photo")
        self.wait(
            lambda: self.js(
                "return [...document.querySelectorAll('.thumbs img, .card img')].every(image => image.naturalWidth > 0)"
            )
        )
        self.assertEqual(len(self.all(".thumbs img")), 1)
        self.assertEqual(len(self.all(".card img")), 1)
        self.assertNotEqual(self.one(".thumbs img").get_attribute("alt"), "")

    def test_the_calls_have_the_same_result(self):
        for title in ("JSON", "Missing comma", "Broken feed", "Property list", "curl -iL", "SOAP fault"):
            self.choose(title)
            self.browser.find_element(By.XPATH, "//*[@id='views']/button[.='Response']").click()
            shown = json.loads(self.shown_value())
            for language, received in self.results_of_calls():
                with self.subTest(title, language=language):
                    expected = dict(shown)
                    for facts in (expected, received):
                        facts.pop("instance", None)
                    if language == "JavaScript":
                        expected = json.loads(json.dumps(expected), parse_int=float)
                        received = json.loads(json.dumps(received), parse_int=float)
                    self.assertEqual(received, expected)

    def test_a_call_sends_content_that_begins_with_an_at_sign(self):
        self.enter("@a=1")
        self.set_field("type", "application/x-www-form-urlencoded")
        expected = json.loads(self.shown_value())
        self.assertEqual(expected, {"@a": "1"})
        for language, received in self.results_of_calls():
            with self.subTest(language=language):
                self.assertEqual(received["value"], expected)

    def test_a_call_with_long_text_asks_for_a_file(self):
        self.enter(json.dumps(["x" * 5_000]))
        for language, mark in (("curl", "#"), ("Python", "#"), ("JavaScript", "//")):
            self.browser.find_element(By.XPATH, f"//*[@id='languages']/button[.='{language}']").click()
            self.assertEqual(self.text("#call").split("\n")[0], f'{mark} Save the content as "response" first.')
        self.drop(json.dumps(["x" * 5_000]).encode(), "rows.json", "application/json")
        self.assertNotIn("Save the content", self.text("#call"))
        self.choose("Photo")
        self.assertTrue(self.text("#call").startswith('// Save the content as "photo.jpg" first.'))
        self.assertEqual(self.one("#card a[download]").get_attribute("download"), "photo.jpg")

    def test_an_example_is_scrolled_into_view_on_a_small_screen(self):
        self.show(360, 740)
        self.choose("Missing comma")
        top, result = self.js(
            "return ['source', 'result'].map(id => document.getElementById(id).getBoundingClientRect().top)"
        )
        self.assertTrue(-1 <= top < result < 740, (top, result))


class SourceTests(PageTestCase):
    def test_text_is_normalized_as_it_is_entered(self):
        self.enter('{"a": [1, 2.50], "b": null}')
        self.assertEqual(self.shown_value(), '{"a": [1,2.50]}')

    def test_a_dropped_file_is_normalized(self):
        self.drop(b'<order id="7"><item>a</item></order>', "order.xml", "text/xml")
        self.assertIn('"@id": "7"', self.text(".tree"))
        self.assertEqual(self.one("#type").get_attribute("value"), "text/xml")
        self.assertFalse(self.all("body.dropping"))

    def test_a_dropped_image_is_normalized(self):
        self.drop((ROOT / "examples/photo.jpg").read_bytes(), "photo.jpg", "image/jpeg")
        self.wait(lambda: self.js("return document.querySelector('.thumbs img')?.naturalWidth"))
        self.assertIn('"model": "Example camera"', self.text(".tree"))
        self.browser.find_element(By.XPATH, "//*[@id='card']//button[.='Remove']").click()
        self.assertTrue(self.one("#text").is_displayed())

    def test_a_chosen_file_is_normalized(self):
        self.until_shown(lambda: self.one("#file").send_keys(str(ROOT / "examples/photo.jpg")))
        self.assertIn("image/jpeg", self.text("#summary"))

    def test_the_output_of_curl_is_a_message(self):
        self.enter('HTTP/2 404 \ncontent-type: application/json\ncontent-length: 9\n\n{"e": 1 }')
        self.assertIn("raw message", self.text("#form"))
        self.assertIn("404 Not Found", self.text(".trouble p"))
        self.assertFalse(self.one("#status").is_enabled())

    def test_the_position_in_a_message_is_that_in_its_content(self):
        self.enter('HTTP/1.1 200 OK\nContent-Type: application/json\n\n{\n  "a" 1\n}')
        self.assertEqual(self.text(".frame mark"), "1")

    def test_fields_and_options_are_sent(self):
        self.enter('{"a": null}')
        self.until_shown(lambda: self.one("#status").send_keys("404"))
        self.assertIn("404 Not Found", self.text(".trouble p"))
        self.js(
            "const select = document.querySelector('[data-option=nulls] select');"
            "select.value = 'keep'; select.dispatchEvent(new Event('change'))"
        )
        self.js(
            "const s = document.getElementById('more'); s.value = 'accept-status'; s.dispatchEvent(new Event('change'))"
        )
        self.until_shown(lambda: self.browser.switch_to.active_element.send_keys("*"))
        self.wait(lambda: self.all(".tree") and '"a": null' in self.text(".tree"))

    def test_what_a_response_leaves_out_is_counted(self):
        self.enter('{"a": 1, "b": {"c": 2}, "d": 3, "e": null, "a": 1}')
        self.assertNotIn("omitted", self.text("#summary"))
        self.js("const s = document.getElementById('more'); s.value = 'omit'; s.dispatchEvent(new Event('change'))")
        self.until_shown(lambda: self.browser.switch_to.active_element.send_keys("/b,/d"))
        self.wait(lambda: "2 omitted · 1 null dropped · 1 warning ·" in self.text("#summary"))
        self.assertEqual(json.loads(self.shown_value()), {"a": 1})

    def test_several_leniencies_are_chosen(self):
        self.enter("{a: 1, /* b */}")
        self.one("[data-option=lenient] summary").click()
        for name in ("comments", "unquoted-keys", "trailing-commas"):
            self.one(f"[data-option=lenient] [value={name}]").click()
        self.wait(lambda: self.all(".tree") and '"a": 1' in self.text(".tree"))

    def test_text_of_a_response_is_never_code(self):
        attack = '<img src=x onerror="window.attacked=1"></script><script>window.attacked=1</script>'

        def check():
            self.assertIn("onerror", self.text("main"))
            self.assertIsNone(self.js("return window.attacked ?? null"))
            self.assertEqual(self.all("main img[src='x'], main script"), [])

        self.enter(json.dumps({attack: attack, "__proto__": {"a": attack}, "constructor": [attack]}))
        self.assertEqual(json.loads(self.shown_value())[attack], attack)
        check()
        self.enter('{"' + attack.replace('"', "'") + '": }')
        check()
        self.drop(attack.encode(), attack, "text/html")
        check()
        self.drop(b"\0" + attack.encode(), attack, "image/png")
        check()
        self.browser.find_element(By.XPATH, "//*[@id='card']//button[.='Remove']").click()
        self.enter(f"HTTP/1.1 200 {attack}\nContent-Type: text/html\nX: {attack}\n\n{attack}")
        check()

    def test_a_value_that_looks_like_that_of_an_image_is_a_value(self):
        for thumbnails in (
            "[null]",
            "[1, []]",
            '[{"base64": 1}]',
            '[{"base64": "AA", "mediaType": "image/png", "width": 1e9, "height": 1}]',
            '{"a": 1}',
        ):
            self.enter('{"thumbnails": ' + thumbnails + "}")
            self.assertEqual(json.loads(self.shown_value())["thumbnails"], json.loads(thumbnails))
            self.assertEqual(self.all(".thumbs"), [])

    def test_a_field_that_cannot_be_sent_is_reported(self):
        self.enter("{}")
        self.until_shown(lambda: self.one("#type").send_keys("text/ü→"))
        self.assertIn("The request failed", self.text("#output"))

    def test_one_megabyte_of_json_does_not_freeze_the_page(self):
        rows = [
            {"id": index, "name": f"name {index}", "tags": ["a", "b"], "price": index / 8} for index in range(14_000)
        ]
        content = json.dumps({"rows": rows, "long": "x" * 50_000}).encode()
        self.assertGreater(len(content), 1_000_000)
        self.assertLessEqual(self.longest_step_of_drop(content), 100, "milliseconds of the longest step")
        self.assertLess(self.js("return document.querySelectorAll('.tree *').length"), 5_000)
        before = len(self.all(".tree [role=treeitem]"))
        self.one(".tree .more button").click()
        self.assertEqual(len(self.all(".tree [role=treeitem]")), before + 100)
        self.assertIn("@rows.json", self.text("#call"))

    def test_a_late_result_does_not_replace_a_newer_one(self):
        self.js("""
            const original = parse
            window.parse = async text => {
                const tree = await original(text)
                if (text.includes('"old"')) await new Promise(resume => { window.finish = resume })
                return tree
            }
            const editor = document.getElementById('text')
            editor.value = '["old"]'
            editor.dispatchEvent(new Event('input'))
        """)
        self.wait(lambda: self.js("return Boolean(window.finish)"))
        self.enter('["new"]')
        self.js("finish()")
        self.assertEqual(self.shown_value(), '["new"]')

    def test_warnings_in_a_large_value_do_not_freeze_the_page(self):
        for opening, element, closing in (("[", '{{"a":1}}', "]"), ("{{", '"{}":{{"a":1}}', "}}")):
            elements = [element.format(index) for index in range(200_000)]
            for index in range(-100, 0):
                elements[index] = elements[index].replace('"a":1', '"a":1,"a":2')
            content = (opening.format() + ",".join(elements) + closing.format()).encode()
            longest = self.longest_step_of_drop(content, enough=150)
            self.assertLessEqual(longest, 150, "milliseconds of the longest step")
            self.assertIn("100 warnings", self.text(".tree .fold"))

    def test_a_warning_is_beside_a_name_with_escapes(self):
        names = ["\x7f", "\x01\b", "é/~\"", "\u2028", "__proto__"]
        self.enter("{" + ",".join(f'{json.dumps(name)}: {{"a": 0, "a": 1}}' for name in names) + "}")
        self.shown_value()
        rows = [row for row in self.all(".tree .row") if row.find_elements(By.CSS_SELECTOR, ".warning")]
        self.assertEqual([row.text[:6] for row in rows], ['"a": 1'] * len(names))

    def test_a_large_response_is_saved(self):
        self.drop(json.dumps(["x" * 1_000] * 25_000).encode(), "large.json", "application/json")
        self.assertIn("The response is 25.1 MB.", self.text("#output"))
        self.assertTrue(self.all("#output a[download]"))

    def test_text_is_moved_into_fields_and_replaces_nothing(self):
        self.enter('{"a": 1}')
        self.drag_text("text/plain", "#type")
        self.assertEqual(self.one("#type").get_attribute("value"), "text/plain")
        self.drag_text(" ", "#text")
        self.assertEqual(self.one("#text").get_attribute("value").replace(" ", ""), '{"a":1}')
        self.drag_text("[]", "h1")
        self.assertEqual(self.one("#text").get_attribute("value").replace(" ", ""), '{"a":1}')

    def test_text_that_was_entered_is_restored(self):
        self.assertFalse(self.one("#restore").is_displayed())
        self.enter('{"mine": 1}')
        self.assertFalse(self.one("#restore").is_displayed())
        for replace in (lambda: self.choose("Photo"), lambda: self.drop(b"[2]", "two.json", "application/json")):
            replace()
            self.assertNotIn("mine", self.text(".tree"))
            self.until_shown(self.one("#restore").click)
            self.assertEqual(self.shown_value(), '{"mine": 1}')
            self.assertEqual(self.one("#text").get_attribute("value"), '{"mine": 1}')
            self.assertEqual(self.one("#type").get_attribute("value"), "")

    def test_long_output_of_curl_that_is_pasted_is_a_message(self):
        self.paste("HTTP/2 404 \nContent-Type: application/json\n\n" + json.dumps({"error": "x" * 300_000}))
        self.assertIn("404 Not Found", self.text(".trouble p"))
        self.assertIn("raw message", self.text("#form"))
        self.assertIn("Pasted text", self.text("#card"))
        self.assertIn('# Save the content as "response.http" first.', self.text("#call"))

    def test_the_position_is_right_in_every_charset(self):
        text = '{\n  "ä": "€",\r\n  "b" 1\n}'
        for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "gb18030"):
            with self.subTest(encoding):
                content = (b"\xfe\xff" if encoding == "utf-16-be" else b"") + text.encode(encoding)
                is_labelled = encoding in ("cp1252", "gb18030")
                charset = f"; charset={encoding.replace('cp', 'windows-')}" if is_labelled else ""
                self.drop(content, "a.json", f"application/json{charset}")
                self.assertEqual(self.text(".frame mark"), "1")
                lines = self.js("return [...document.querySelectorAll('.frame div')].map(row => row.innerText)")
                self.assertEqual([line.split()[0] for line in lines], ["1", "2", "3", "^", "4"])
                self.assertIn('"ä": "€"', lines[1])
        self.drop(text.encode("utf-32"), "a.json", "application/json")
        self.assertIn('"b" 1', self.text(".frame"))
        self.assertEqual(self.all(".frame mark"), [])

    def test_a_position_is_selected_and_visible(self):
        for content in (
            '\ufeff{"€": 1, "€": 2}',
            '["' + "wrapped " * 1_000 + '",\n{"€": 1, "€": 2}]',
            "[" + "\n" * 500 + '{"€": 1, "€": 2}]',
        ):
            self.enter(content)
            self.one(".warning button").click()
            selected, start, below = self.js("""
                const { value, selectionStart, selectionEnd, scrollTop, clientHeight, scrollHeight } =
                    document.getElementById('text')
                const below = scrollHeight - scrollTop - clientHeight
                return [value.slice(selectionStart, selectionEnd), selectionStart, below]
            """)
            self.assertEqual((selected, start), ('"€"', content.rindex('"€"')))
            self.assertLess(below, 2, "the end is not visible")
            self.assertEqual(self.browser.switch_to.active_element.get_attribute("id"), "text")
        self.assertEqual(len(self.all("textarea")), 1)
        self.enter('{\n"a" 1}')
        self.browser.find_element(By.XPATH, "//h3/button[.='line 2, column 5']").click()
        self.assertEqual(self.js("return getSelection().toString()"), "1")

    def test_types_of_columns_are_beside_their_values(self):
        self.enter("id,/day~\n1,2026-01-02\n2,2026-01-03\n")
        self.set_field("type", "text/csv")
        self.js(
            "const more = document.getElementById('more');"
            "more.value = 'hints'; more.dispatchEvent(new Event('change'))"
        )
        script = (
            "const select = document.querySelector('[data-option=hints] select');"
            "select.value = 'true'; select.dispatchEvent(new Event('change'))"
        )
        self.until_shown(lambda: self.js(script))
        self.assertEqual([kind.text for kind in self.all(".tree .kind")], ["integer", "date"] * 2)

    def test_a_file_that_cannot_be_read_is_reported(self):
        self.js("Blob.prototype.arrayBuffer = () => Promise.reject(new Error('it is a folder'))")
        self.drop(b"", "folder", "")
        self.assertEqual(self.text("#output"), "The file cannot be read: it is a folder")

    def test_a_file_that_is_read_late_does_not_replace_newer_text(self):
        self.js("""
            Blob.prototype.arrayBuffer = () => new Promise(resume => {
                window.finish = async () => { resume(encoder.encode('["old"]').buffer); await null }
            })
            const dataTransfer = new DataTransfer()
            dataTransfer.items.add(new File([''], 'old.json', { type: 'application/json' }))
            window.dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }))
        """)
        self.enter('["new"]')
        self.browser.execute_async_script("finish().then(() => setTimeout(arguments[0]))")
        self.assertEqual(self.one("#text").get_attribute("value"), '["new"]')
        self.assertEqual(self.shown_value(), '["new"]')

    def test_a_type_that_is_not_detected_is_a_button(self):
        self.enter("id,name\n1,a\n")
        self.until_shown(lambda: self.browser.find_element(By.XPATH, "//button[.='text/csv']").click())
        self.assertEqual(json.loads(self.shown_value()), [{"id": "1", "name": "a"}])
        self.assertEqual(self.one("#type").get_attribute("value"), "text/csv")
        self.set_field("type", "text/html")
        self.assertIn("Unacceptable content type", self.text("#output"))
        self.assertEqual(self.browser.find_elements(By.XPATH, "//button[.='text/csv']"), [])

    def test_a_url_cannot_be_fetched_if_fetching_is_disabled(self):
        self.assertFalse(self.one("#url-form").is_displayed())


class FetchTests(PageTestCase):
    @classmethod
    def setUpClass(cls):
        server = origin(b'{"a": 1, "b": [true]}', "application/json")
        cls.url = server.__enter__()
        cls.addClassCleanup(server.__exit__, None, None, None)
        cls.flags = ("--fetch-allow", cls.url, "--fetch-allow-addresses", "127.0.0.1")
        super().setUpClass()

    def test_a_url_is_fetched(self):
        self.one("#url").send_keys(self.url)
        self.until_shown(lambda: self.one("#url").send_keys(Keys.ENTER))
        self.assertEqual(self.shown_value(), '{"a": 1,"b": [true]}')
        self.assertIn("/v1/fetch?url=http%3A", self.text("#call"))
        for language, received in self.results_of_calls():
            with self.subTest(language=language):
                self.assertEqual(received["value"], {"a": 1, "b": [True]})


class TokenTests(PageTestCase):
    @classmethod
    def setUpClass(cls):
        folder = (
            cls.enterClassContext(tempfile.TemporaryDirectory())
            if hasattr(cls, "enterClassContext")
            else tempfile.mkdtemp()
        )
        file = pathlib.Path(folder) / "tokens.json"
        file.write_text(
            json.dumps({"tokens": [{"name": "web", "sha256": cls.digest("page-secret"), "permissions": ["normalize"]}]})
        )
        cls.flags = ("--tokens-file", str(file))
        super().setUpClass()

    @staticmethod
    def digest(token):
        import hashlib

        return hashlib.sha256(token.encode()).hexdigest()

    def test_a_token_is_needed_and_kept_in_memory_only(self):
        self.choose("JSON")
        self.assertIn("401 problem", self.text("#summary"))
        self.assertEqual(self.browser.switch_to.active_element.get_attribute("id"), "token")
        self.until_shown(lambda: self.one("#token").send_keys("page-secret", Keys.TAB))
        self.assertIn("value", self.text("#summary .badge"))
        for language in ("curl", "Python", "JavaScript"):
            self.browser.find_element(By.XPATH, f"//*[@id='languages']/button[.='{language}']").click()
            self.assertIn("DECANT_TOKEN", self.text("#call"))
            self.assertNotIn("page-secret", self.text("#call"))
        self.assertEqual(self.js("return [localStorage.length, sessionStorage.length, document.cookie]"), [0, 0, ""])
        self.open()
        self.assertEqual(self.one("#token").get_attribute("value"), "")


class AccessibilityTests(PageTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        import axe_playwright_python

        cls.axe = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()

    def check(self, name):
        self.js(self.axe)
        result = self.browser.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "axe.run(document, { resultTypes: ['violations'] }).then(done, error => done({ error: String(error) }))"
        )
        self.assertNotIn("error", result)
        violations = [
            f"{row['id']}: {node['html'][:120]}: {node.get('failureSummary', '')[:200]}"
            for row in result["violations"]
            for node in row["nodes"]
        ]
        self.assertEqual(violations, [], name)

    def test_axe_finds_nothing_in_any_state(self):
        for width in (1280, 360):
            for scheme in ("light", "dark"):
                self.show(width, 900 if width > 400 else 740, scheme)
                self.open()
                with self.subTest("start", width=width, scheme=scheme):
                    self.check("start")
                    self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), width)
                self.capture(f"start-{width}-{scheme}")
                for title in ("JSON", "Missing comma", "Comments", "Windows-1252", "SOAP fault", "curl -iL", "Photo"):
                    self.choose(title)
                    with self.subTest(title, width=width, scheme=scheme):
                        self.check(title)
                        self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), width)
                    self.capture(f"{title.lower().replace(' ', '-')}-{width}-{scheme}")
                self.open("docs")
                self.wait(lambda: self.all("#schemas"))
                with self.subTest("docs", width=width, scheme=scheme):
                    self.check("docs")
                    self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), width)
                self.capture(f"docs-{width}-{scheme}")
                for path in ("problems", "problems/json.unexpected_character"):
                    self.open(path)
                    with self.subTest(path, width=width, scheme=scheme):
                        self.check(path)
                        self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), width)
                    self.capture(f"{path.replace('/', '-')}-{width}-{scheme}")

    def test_every_control_is_reached_with_the_tab_key(self):
        self.choose("Comments")
        self.js(
            "document.activeElement.blur(); getSelection().removeAllRanges();"
            "document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')"
        )
        reached = []
        for _ in range(80):
            self.browser.switch_to.active_element.send_keys(Keys.TAB)
            active = self.js("""
                const active = document.activeElement, style = getComputedStyle(active)
                const inner = getComputedStyle(active.firstElementChild ?? active)
                return active === document.body ? null : [
                    active.id || active.textContent.trim() || active.getAttribute('aria-label'),
                    style.outlineStyle !== 'none' || inner.outlineStyle !== 'none']
            """)
            if active is None:
                break
            reached.append(active)
        names = [name for name, _ in reached]
        self.assertEqual(names[0], "Skip to the result")
        for name in (
            "choose",
            "text",
            "status",
            "type",
            "more",
            "run",
            "Set lenient = trailing-commas,comments",
            "copy",
            "call",
        ):
            self.assertIn(name, names)
        self.assertLess(names.index("text"), names.index("run"))
        self.assertLess(names.index("run"), names.index("copy"))
        self.assertEqual([name for name, has_outline in reached if not has_outline], [], "the focus is not visible")

    def test_the_tree_is_used_with_the_arrow_keys(self):
        self.choose("JSON")
        item = self.one("[role=treeitem][tabindex='0']")
        item.send_keys(Keys.ARROW_LEFT)
        self.assertEqual(item.get_attribute("aria-expanded"), "false")
        item.send_keys(Keys.ARROW_RIGHT)
        item.send_keys(Keys.ARROW_DOWN)
        self.assertIn("9007199254740993", self.browser.switch_to.active_element.text)
        self.browser.switch_to.active_element.send_keys(Keys.END)
        self.assertIn('"price"', self.browser.switch_to.active_element.text)
        self.browser.switch_to.active_element.send_keys(Keys.HOME)
        self.assertEqual(self.browser.switch_to.active_element, item)

    def test_control_and_enter_normalizes(self):
        self.choose("JSON")
        self.until_shown(lambda: self.one("#text").send_keys(Keys.CONTROL, Keys.ENTER))


class ReferenceTests(PageTestCase):
    def test_the_reference_contains_the_whole_contract(self):
        contract = json.loads(self.service.send("/openapi.json")[1])
        options = json.loads(self.service.send("/v1/serializers")[1])["options"]
        self.open("docs")
        self.wait(lambda: self.all("#schemas"))
        identifiers = set(self.js("return [...document.querySelectorAll('[id]')].map(node => node.id)"))
        expected = {f"schema-{name}" for name in contract["components"]["schemas"]} | {
            f"option-{row['name']}" for row in options
        }
        expected |= {
            f"operation-{operation['operationId']}"
            for item in contract["paths"].values()
            for method, operation in item.items()
            if method not in ("head", "parameters")
        }
        self.assertEqual(expected - identifiers, set())
        targets = set(
            self.js("return [...document.querySelectorAll('a[href^=\"#\"]')].map(link => link.hash.slice(1))")
        )
        self.assertEqual(targets - identifiers, set(), "links to anchors that do not exist")

    def test_a_link_leads_to_its_option(self):
        self.open("docs#option-nulls")
        self.wait(lambda: self.all("#schemas"))
        top = self.js("return document.getElementById('option-nulls').getBoundingClientRect().top")
        self.assertTrue(-1 <= top <= 200, top)

    def test_the_links_of_the_page_lead_to_pages(self):
        for link in self.js("return [...document.querySelectorAll('header a')].map(link => link.href)"):
            with urllib.request.urlopen(link) as response:
                self.assertEqual(response.status, 200, link)


if __name__ == "__main__":
    DECANT = sys.argv.pop(1)
    unittest.main(verbosity=2)
