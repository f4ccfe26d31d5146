// SPDX-License-Identifier: Apache-2.0
// Chromium and the packages that scripts/setup --test has installed, or the reason why they are not there.
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

const lock = createHash("sha256").update(readFileSync(new URL("package-lock.json", import.meta.url))).digest("hex");
const cache = process.env.JCPROF_CACHE || join(homedir(), ".cache/jcprof");
const modules = join(cache, `page-tests-${lock}`, "node_modules");
const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);

/// Empty where all is there.
export function missing() {
  if (!chromium) return "chromium is not installed: run scripts/setup --browser";
  if (!existsSync(join(modules, "puppeteer-core"))) return "the packages of tests/page are not installed: run scripts/setup --test";
  return "";
}

export function axeSource() {
  return readFileSync(join(modules, "axe-core/axe.min.js"), "utf8");
}

/// Its profile is gone with it.
export async function launch() {
  const puppeteer = createRequire(join(modules, "x.js"))("puppeteer-core");
  const folder = mkdtempSync(join(tmpdir(), "jcprof-page-"));
  const options = ["--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--disable-component-update",
                   "--hide-scrollbars", "--force-color-profile=srgb"];
  if (process.getuid?.() === 0) options.push("--no-sandbox");
  const browser = await puppeteer.launch({ executablePath: chromium, headless: true, userDataDir: folder, args: options,
                                           defaultViewport: { width: 1280, height: 800 } });
  return { browser, close: async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } };
}
