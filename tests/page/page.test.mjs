// SPDX-License-Identifier: Apache-2.0
// The page over made-up profiles. JCPROF_PAGE: the folder with the bundle, as the build makes it.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { assemble } from "./assemble.mjs";
import { launch, missing } from "./browser.mjs";
import { checkReport, rowBound } from "./check.mjs";
import { big, hostile, measured, recorded } from "./profiles.mjs";

const bundle = process.env.JCPROF_PAGE ?? new URL("../../build/dev/generated/page", import.meta.url).pathname;
const reason = missing();
if (reason) console.log(`SKIPPED: ${reason}`);
const options = { skip: reason || false };

let chromium;
let folder;
before(async () => {
  if (reason) return;
  folder = mkdtempSync(join(tmpdir(), "jcprof-reports-"));
  chromium = await launch();
});
after(async () => {
  await chromium?.close();
  if (folder) rmSync(folder, { recursive: true });
});

function written(profile) {
  const file = join(folder, `${profile.project.replace(/\W/g, "") || "report"}.html`);
  writeFileSync(file, assemble(profile, bundle));
  return file;
}

async function checked(profile, scheme = "light") {
  const { faults, views, facts } = await checkReport(chromium.browser, written(profile), { scheme });
  assert.deepEqual(faults, []);
  return { views, facts };
}

/// What `read` finds in the page of a profile, at a place of it.
async function seen(profile, at, read) {
  const page = await chromium.browser.newPage();
  const dialogs = [];
  page.on("dialog", async (dialog) => {
    dialogs.push(dialog.message());
    await dialog.dismiss();
  });
  await page.goto(`${pathToFileURL(written(profile)).href}${at}`);
  const found = await page.evaluate(read);
  await page.close();
  assert.deepEqual(dialogs, []);
  return found;
}

const everyView = ["source", "flame", "tree", "functions", "loops", "paths", "comparison", "about"];

for (const scheme of ["light", "dark"])
  test(`a measured profile shows all its views, ${scheme}`, options, async () => {
    assert.deepEqual((await checked(measured(), scheme)).views, everyView);
  });

test("a recording shows its threads, and no view without data", options, async () => {
  assert.deepEqual((await checked(recorded())).views, ["source", "flame", "tree", "functions", "threads", "about"]);
});

test("a page of 10,000 lines and 20,000 calls draws what is seen and stays fluent", options, async () => {
  const profile = big();
  assert.ok(profile.lines.length === 10000 && profile.tree.nodes.length === 20000);
  const { facts } = await checked(profile);
  assert.ok(facts["source rows"] > 20 && facts["tree rows"] > 20 && facts["source rows"] <= rowBound);
});

test("hostile names are text", options, async () => {
  await checked(hostile());
  const found = await seen(hostile(), "#source/0:14", () => ({
    elements: document.querySelectorAll("img, iframe, object, #page script, #page i, #page b").length,
    scripts: document.scripts.length,
    source: document.querySelector(".lines").textContent,
  }));
  assert.equal(found.elements, 0);
  assert.equal(found.scripts, 2);
  for (const part of ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "a\\u{202e}gnp.exe\\u{2066}", "\\u{1b}[31mred", "nul\\u{0}bell", "@SCRIPT@ $& $' &lt;"])
    assert.ok(found.source.includes(part), part);
});

test("a policy keeps scripts and requests out that the page did not bring", options, async () => {
  const page = await chromium.browser.newPage();
  const refused = [];
  page.on("console", (message) => refused.push(message.text()));
  await page.goto(pathToFileURL(written(measured())).href);
  const ran = await page.evaluate(async () => {
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
    const request = await fetch("data:text/plain,x").then(() => "answered", () => "refused");
    return [window.ran ?? false, request];
  });
  await page.close();
  assert.deepEqual(ran, [false, "refused"]);
  assert.equal(refused.filter((text) => text.includes("Content Security Policy")).length > 1, true);
});

const rowOf = (number) => `[...document.querySelectorAll(".lines .room .row")]
  .find((row) => row.querySelector(".number").textContent === "${number}")`;

test("a line says its cost, share and hits, and in words that it is below resolution or was not reached", options, async () => {
  const cells = (number) => seen(measured(), `#source/0:${number}`, `[...${rowOf(number)}.children].slice(0, 3).map((cell) => cell.textContent)`);
  assert.deepEqual(await cells(97), ["2.39 ms ±0.10", "85.4 %", "×1,000"]);
  assert.deepEqual(await cells(100), ["below resolution < 22 µs", "< 0.79 %", "×1"]);
  assert.deepEqual(await cells(82), ["not reached", "", ""]);
});

test("functions on one line are told together, each in the details", options, async () => {
  const profile = measured();
  const twin = { ...profile.lines[1], line: 97, function: "PinApplet.deriveKey<int>", hits: 8 };
  profile.lines.push(twin);
  const found = await seen(profile, "#source/0:97", `[[...${rowOf(97)}.children].slice(0, 3).map((cell) => cell.textContent),
    [...document.querySelectorAll(".details .facts h3:first-child")].map((title) => title.textContent)]`);
  assert.deepEqual(found, [["2.49 ms ±0.10", "88.8 %", "×1,008"], ["PinApplet.deriveKey", "PinApplet.deriveKey<int>"]]);
});

test("a line without a distribution says why", options, async () => {
  const said = (changed) => {
    const profile = measured();
    Object.assign(profile.lines[0], changed);
    return seen(JSON.parse(JSON.stringify(profile)), "#source/0:97", () => document.querySelector(".details .columns > p").textContent);
  };
  const exact = { ticks: [5, 5, 5], share: [0.1, 0.1, 0.1], resolved: true };
  assert.match(await said({ rounds: null }), /left out/);
  assert.equal(await said({ rounds: undefined, cost: exact }), "The same in each round.");
  assert.match(await said({ rounds: undefined }), /none measured it, or all agree/);
});

test("calls from a line that is not known are those of each line of the function", options, async () => {
  const listed = (line) => seen(recorded(), `#source/0:${line}`, () => [...document.querySelectorAll(".ways > div")].slice(0, 2)
    .map((part) => [...part.querySelectorAll("li")].map((item) => item.textContent)));
  assert.deepEqual(await listed(2), [["thread 1 main · ×1"], ["count_words wordcount.c:4 · 4.00 G cycles (44.4 %), ×100, from any line of the function"]]);
  assert.deepEqual((await listed(5))[0], ["main wordcount.c:1 · ×100"]);
});

test("what functions that call each other cost is told once for each caller", options, async () => {
  const profile = recorded();
  const found = (name) => profile.tree.functions.findIndex(([known]) => known === name);
  const [main, words] = [found("main"), found("count_words")];
  const top = profile.tree.nodes.findIndex(([func]) => func === words);
  // main → count_words → main → count_words
  profile.tree.nodes.push([main, top, 0, 3, 1e9, 3e9, []]);
  profile.tree.nodes.push([words, profile.tree.nodes.length - 1, 0, 5, 2e9, 2e9, []]);
  const listed = await seen(profile, "#source/0:5", () => [...document.querySelectorAll(".ways > div")][1].textContent);
  assert.match(listed, /main .*3\.00 G cycles .*×3/);
});

test("a line is opened again after it was closed", options, async () => {
  const isOpen = await seen(measured(), "#source/0:97", async () => {
    const link = document.querySelector(".hottest a");
    const shown = () => !document.querySelector(".details").hidden;
    link.click();
    await new Promise((done) => setTimeout(done, 50));
    document.querySelector(".details .close").click();
    const wasClosed = !shown();
    link.click();
    await new Promise((done) => setTimeout(done, 50));
    return [wasClosed, shown()];
  });
  assert.deepEqual(isOpen, [true, true]);
});

test("a cost without an interval has no number", options, async () => {
  const profile = measured();
  profile.lines[0].cost = { ticks: [null, null, null], share: [null, null, null], resolved: false };
  assert.deepEqual(await seen(profile, "#source/0:97", `[...${rowOf(97)}.children].slice(0, 2).map((cell) => cell.textContent)`), ["not measured", "unknown"]);
});

test("an edge that was not measured says so", options, async () => {
  const rows = await seen(measured(), "#paths", () => [...document.querySelectorAll("#panel-paths .table:last-child tbody tr")].map((row) => row.cells[5].textContent));
  assert.deepEqual(rows, ["2.39 ms ±0.09", "3.0 µs ±6.0", "not measured"]);
});

test("a file that the report does not hold is unknown, in each view", options, async () => {
  const profile = measured();
  const lost = (value) => Array.isArray(value) ? value.forEach(lost) : value && typeof value === "object" && Object.entries(value).forEach(([name, each]) =>
    name === "file" || name === "to_file" ? (value[name] = value.line % 2 ? 7 : -1) : lost(each));
  for (const part of ["functions", "loops", "edges", "against"]) lost(profile[part]);
  lost(profile.lines.slice(3));
  profile.tree.functions[1][1] = 7;
  profile.tree.nodes[1][6][0][0] = 7;
  profile.unreached[0][0] = 7;
  assert.deepEqual((await checked(profile)).views, everyView);
});

test("a tree in which nothing was measured is not shown", options, async () => {
  const profile = measured();
  for (const node of profile.tree.nodes) [node[4], node[5], node[6]] = [0, 0, []];
  assert.deepEqual((await checked(profile)).views, everyView.filter((view) => view !== "flame" && view !== "tree"));
});

test("cycles are told in time too where their rate is known, instructions never", options, async () => {
  const total = () => document.querySelector(".total").textContent;
  assert.equal(await seen(recorded(), "", total), "recorded 9.00 G cycles, 3.75 s");
  assert.equal(await seen({ ...recorded(), unit: "instructions" }, "", total), "recorded 9.00 G instructions");
});

test("data of a later version are refused by name", options, async () => {
  const text = await seen({ ...measured(), version: 2 }, "", () => document.querySelector("[role=alert]").textContent);
  assert.equal(text, "This report cannot be shown: the data are jcprof-report version 2, this page reads 1.");
});

test("paper holds the lines that the screen does not", options, async () => {
  const page = await chromium.browser.newPage();
  await page.goto(pathToFileURL(written(measured())).href);
  const drawn = () => page.$$eval(".lines .room .row", (rows) => rows.length);
  const onScreen = await drawn();
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  assert.ok((await drawn()) > 100 && onScreen < 100);
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  assert.equal(await drawn(), onScreen);
  await page.close();
});

test("a comparison says of a line that moved or is gone where it was, and nothing where its interval is wider than what there was", options, async () => {
  const profile = measured();
  profile.against.lines[3].relative = [0.5, -0.9, 1.9];
  const rows = await seen(profile, "#comparison", () => [...document.querySelector("#panel-comparison tbody").rows]
    .map(({ cells }) => [cells[0], cells[1], cells[6]].map(({ textContent }) => textContent)));
  assert.deepEqual(rows, [
    ["▼ faster", "PinApplet.java:97 was 96", "−19.0 % ±2.0"], ["▲ slower", "PinApplet.java:108 was 107", "+37.1 % ±2.0"],
    ["+ new", "PinApplet.java:90", ""], ["− gone", "PinApplet.java was 84", ""],
    ["? unresolved", "PinApplet.java:113 was 112", ""], ["= same", "PinApplet.java:107 was 106", "0.0 % ±2.0"]]);
});
