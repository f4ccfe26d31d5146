// SPDX-License-Identifier: Apache-2.0
// node speedscope.mjs RELEASE PROFILE: opens a profile in speedscope's own page and prints its table of functions,
// "total self name" a line.
import { readFileSync, writeFileSync } from "node:fs";
import { launch, missing } from "./browser.mjs";

const [release, profile] = process.argv.slice(2);

async function table(browser) {
  const page = await browser.newPage();
  const faults = [];
  page.on("pageerror", error => faults.push(error.message));
  page.on("console", message => message.type() === "error" && faults.push(message.text()));
  page.on("request", request => request.url().startsWith("file:") || faults.push(request.url()));
  // Its own way to open what a command line names.
  const script = `${profile}.js`;
  writeFileSync(script, `speedscope.loadFileFromBase64("profile", "${readFileSync(profile).toString("base64")}")`);
  await page.goto(`file://${release}/index.html#localProfilePath=${script}`);
  await page.waitForFunction(() => document.body.innerText.includes("Sandwich"), { timeout: 60000 });
  await page.keyboard.press("3");
  await page.waitForFunction(() => document.body.innerText.includes("Symbol Name"), { timeout: 60000 });
  const rows = await page.$$eval("tr", all => all.map(row => [...row.cells].map(cell => cell.innerText.trim()).join(" ")));
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return rows.slice(1);
}

const reason = missing();
if (reason) {
  console.log(`SKIPPED: ${reason}`);
} else {
  const { browser, close } = await launch();
  try {
    console.log((await table(browser)).join("\n"));
  } finally {
    await close();
  }
}
