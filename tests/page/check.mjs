// SPDX-License-Identifier: Apache-2.0
// Opens a report in Chromium and goes through it as a reader does, by pointer and by keyboard. What it finds wrong comes back
// as sentences: messages on the console, requests, dialogs, accessibility, text that hides something, slow scrolling.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { axeSource } from "./browser.mjs";
import { measureScrolling } from "./scrolling.mjs";

export const rowBound = 150;          // rows in the document, however long the list: the screen holds 40 to 60
export const scrollBound = 0.1;       // seconds of the main thread's processor time for a jump in the list; a tenth is seen as delay
const loadBound = 5;                  // seconds of processor time from the file to the first view

class Visit {
  faults = [];
  constructor(page, options) {
    this.page = page;
    this.options = options;
  }

  fault(text) {
    this.faults.push(`${this.options.scheme}: ${text}`);
  }

  expect(isTrue, text) {
    if (!isTrue) this.fault(text);
  }

  count(selector) {
    return this.page.$$eval(selector, (found) => found.length);
  }

  text(selector) {
    return this.page.$eval(selector, (found) => found.textContent);
  }

  /// False and a fault where it does not come true in ten seconds.
  async awaits(condition, text, ...given) {
    try {
      await this.page.waitForFunction(condition, { timeout: 10000, polling: 50 }, ...given);
      return true;
    } catch {
      this.fault(text);
      return false;
    }
  }

  async open(view) {
    await this.page.click(`#tab-${view}`);
    return this.awaits((name) => {
      const panel = document.getElementById(`panel-${name}`);
      return !panel.hidden && panel.childElementCount > 0;
    }, `the view ${view} does not open`, view);
  }

  /// What must hold in each view.
  async inspect(view) {
    await this.axe(view);
    const strange = await this.page.evaluate(strangeText);
    if (strange) this.fault(`${view}: text hides or moves other text: ${strange}`);
    if (this.options.screenshots && this.options.pictured.includes(view)) await this.picture(view);
  }

  async picture(view) {
    await this.page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
    const name = this.options.name ?? (await this.text("h1")).replace(/[^\w-]+/g, "-");
    await this.page.screenshot({ path: join(this.options.screenshots, `${name}-${view}-${this.options.scheme}.png`) });
  }

  async axe(view) {
    const serious = await this.page.evaluate(async () => {
      const { violations } = await window.axe.run(document, { resultTypes: ["violations"], preload: false });
      return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id} at ${nodes.slice(0, 3).map(({ target, failureSummary }) => `${target} (${failureSummary})`).join(", ")}`);
    });
    for (const violation of serious) this.fault(`${view}: axe: ${violation}`);
  }
}

/// The first text or attribute of the page with a control or bidirectional character. Runs in the page.
function strangeText() {
  const strange = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;
  const walker = document.createTreeWalker(document.getElementById("page"), NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const texts = node.nodeType === Node.TEXT_NODE ? [node.data] : [...node.attributes].map((attribute) => attribute.value);
    for (const text of texts) if (strange.test(text)) return JSON.stringify(text);
  }
  return "";
}

async function source(visit) {
  const { page } = visit;
  visit.expect(await visit.count(".lines .room .row") > 0, "source: no line is shown");
  await visit.inspect("source");
  await page.click(".hottest a");
  if (!(await visit.awaits(() => document.querySelector(".details:not([hidden]) h2"), "source: a click on the hottest line shows no details"))) return;
  const wanted = await visit.text(".hottest .at");
  visit.expect((await visit.text(".details h2")).endsWith(wanted), `source: the details are not of ${wanted}`);
  const hasRounds = await page.evaluate(() => {
    const { lines } = JSON.parse(document.getElementById("profile").textContent);
    return Boolean(lines.find((line) => line.file >= 0)?.rounds);
  });
  if (hasRounds) visit.expect(await visit.count(".details .drawing .bin") > 1, "distribution: no bars are drawn");
  await visit.inspect("distribution");
  await page.focus(".lines");
  for (const key of ["Escape", "Home", "ArrowDown", "Enter"]) await page.keyboard.press(key);
  await visit.awaits(() => document.activeElement.matches(".details h2"), "source: Enter does not lead to the details");
  visit.expect(await visit.count("#lines-1.active") === 1, "source: Home and arrow down do not make the second line active");
  await page.keyboard.press("Escape");
  await visit.awaits(() => document.querySelector(".details").hidden, "source: Escape does not close the details");
  await scrolling(visit, ".lines", "source");
}

async function scrolling(visit, list, view) {
  const { rows, seconds } = await measureScrolling(visit.page, list);
  visit.facts[`${view} rows`] = rows;
  visit.facts[`${view} ms`] = Math.round(1000 * seconds);
  visit.expect(rows <= rowBound, `${view}: ${rows} rows are in the document, more than ${rowBound}`);
  visit.expect(seconds <= scrollBound, `${view}: a jump in the list takes ${seconds.toFixed(3)} s, more than ${scrollBound}`);
}

async function flame(visit) {
  const { page } = visit;
  if (!(await visit.awaits(() => document.querySelectorAll(".flame .frame").length > 0, "flame graph: no frame is drawn"))) return;
  visit.expect(await page.$$eval(".flame .frame", (frames) => frames.every((frame) =>
    frame.querySelector("rect").getAttribute("width") === frame.getAttribute("width") && frame.textContent !== "")),
    "flame graph: frames move or have no name though the reader asks for no motion");
  await visit.inspect("flame");
  // The root, and a frame below it that is narrower, if there is one.
  const clicked = await page.evaluate(() => {
    const [root, ...others] = document.querySelectorAll(".flame .frame");
    const widths = [...others].map((frame) => Number(frame.getAttribute("width")));
    const index = widths.findIndex((width) => width < 0.99 * root.getAttribute("width") && width > 12);
    if (index < 0) return null;
    others[index].dispatchEvent(new MouseEvent("click", { bubbles: true }));
    return others[index].getAttribute("name");
  });
  if (clicked !== null)
    await visit.awaits(() => Number(document.querySelector(".flame .current")?.getAttribute("width")) > 0.95 * document.querySelector(".flame svg").getAttribute("width"),
      "flame graph: a click does not zoom");
  await page.focus(".flame");
  await page.keyboard.press("Escape");
  await page.keyboard.press("ArrowDown");
  await visit.awaits(() => document.querySelector(".said").textContent.length > 3, "flame graph: keys do not tell a frame");
  const name = await page.$eval(".flame .frame", (frame) => frame.getAttribute("name"));
  await page.type("#panel-flame input", name.slice(0, 12));
  await visit.awaits(() => /^[1-9].* frame/.test(document.querySelector("#panel-flame .tools .muted").textContent), `flame graph: a search for ${name} finds nothing`);
}

async function tree(visit) {
  const { page } = visit;
  const drawn = () => visit.count(".calls .room .row");
  visit.expect(await drawn() > 0, "call tree: no call is shown");
  await visit.inspect("tree");
  await page.focus(".calls");
  await page.keyboard.press("Home");
  if (!(await page.$("#calls-0[aria-expanded='true']"))) return;
  const before = await drawn();
  await page.keyboard.press("ArrowLeft");
  const closed = await drawn();
  visit.expect(closed < before, "call tree: arrow left does not close the first call");
  await page.keyboard.press("ArrowRight");
  visit.expect(await drawn() > closed, "call tree: arrow right does not open the first call");
  await page.keyboard.press("*");
  await scrolling(visit, ".calls", "tree");
}

async function functions(visit) {
  const { page } = visit;
  const panel = "#panel-functions";
  await visit.inspect("functions");
  const calls = async () => {
    await page.evaluate((within) => [...document.querySelectorAll(`${within} th button`)].find(({ textContent }) => textContent === "Calls").click(), panel);
    return page.$$eval(`${panel} tbody tr`, (rows) => rows.map((row) =>
      Number([...row.cells].find(({ textContent }) => textContent.startsWith("×")).textContent.replace(/\D/g, ""))));
  };
  const descending = await calls();
  visit.expect(await visit.count(`${panel} th[aria-sort="descending"]`) === 1, "functions: the sorted column does not say so");
  visit.expect(descending.every((count, at) => at === 0 || count <= descending[at - 1]), "functions: not sorted by calls");
  const ascending = await calls();
  visit.expect(ascending.every((count, at) => at === 0 || count >= ascending[at - 1]), "functions: not sorted by calls from the least");
  const all = await visit.count(`${panel} tbody tr`);
  const name = await visit.text(`${panel} tbody td`);
  await page.type(`${panel} input`, name);
  const found = await visit.count(`${panel} tbody tr`);
  visit.expect(found >= 1 && found <= all && (await visit.text(`${panel} tbody td`)).includes(name), `functions: the filter does not find ${name}`);
  await page.type(`${panel} input`, " no such function");
  visit.expect(await visit.count(`${panel} tbody tr`) === 0, "functions: the filter finds what is not there");
}

async function comparison(visit) {
  visit.expect(await visit.count("#panel-comparison .card") >= 2, "comparison: no totals side by side");
  visit.expect(await visit.count("#panel-comparison tbody .verdict") > 0, "comparison: no verdict");
  await visit.inspect("comparison");
}

async function schemes(visit) {
  const ground = () => visit.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const seen = {};
  for (const scheme of ["light", "dark", "system"]) {
    await visit.page.click(`.scheme label:has([value="${scheme}"])`);
    seen[scheme] = await ground();
  }
  visit.expect(seen.light !== seen.dark && seen.system === seen[visit.options.scheme], "the switch of colours does not switch");
}

const ways = { source, flame, tree, functions, comparison };

function listen(page, visit, address) {
  page.on("console", (message) => {
    if (["error", "warn", "warning", "assert"].includes(message.type())) visit.fault(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => visit.fault(`error in the page: ${error.message}`));
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== address) visit.fault(`request: ${request.url().slice(0, 200)}`);
  });
  page.on("dialog", async (dialog) => {
    visit.fault(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
}

/// One report in one colour scheme. `screenshots`: a folder for pictures, `name` what their names begin with.
export async function checkReport(browser, file, options = {}) {
  const page = await browser.newPage();
  const pictured = ["source", "distribution", "flame", "comparison"];
  const visit = new Visit(page, { scheme: "light", pictured, ...options });
  visit.facts = {};
  const address = pathToFileURL(file).href;
  listen(page, visit, address);
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: visit.options.scheme }, { name: "prefers-reduced-motion", value: "reduce" }]);
  await page.goto(address);
  const metrics = await page.metrics();
  visit.facts["load ms"] = Math.round(1000 * metrics.ScriptDuration);
  visit.expect(metrics.ScriptDuration < loadBound, `the first view takes ${metrics.ScriptDuration} s`);
  await page.evaluate(axeSource());
  const views = await page.$$eval("[role=tab]", (tabs) => tabs.map(({ id }) => id.slice("tab-".length)));
  visit.expect(views.includes("about"), "the page does not draw itself");
  for (const view of views) {
    if (!(await visit.open(view))) continue;
    visit.expect((await visit.text(`#panel-${view}`)).trim() !== "", `${view}: nothing is shown`);
    await (ways[view] ?? ((each) => each.inspect(view)))(visit);
  }
  await schemes(visit);
  await page.close();
  return { faults: visit.faults, facts: visit.facts, views };
}
