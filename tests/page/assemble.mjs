// SPDX-License-Identifier: Apache-2.0
// A report as `jcprof annotate` puts it together, of data made up by the tests.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const skeleton = fileURLToPath(new URL("../../annotator/page/page.html", import.meta.url));

function digest(text) {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

function inData(text) {
  return text.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function inMarkup(text) {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}

/// `bundle`: the folder with page.js and page.css.
export function assemble(profile, bundle) {
  const style = readFileSync(`${bundle}/page.css`, "utf8");
  const script = readFileSync(`${bundle}/page.js`, "utf8");
  const parts = {
    "@POLICY@": `default-src 'none'; style-src ${digest(style)}; script-src ${digest(script)}; base-uri 'none'; form-action 'none'`,
    "@TITLE@": inMarkup(`${profile.project} – jcprof`),
    "@STYLE@": style,
    "@DATA@": inData(JSON.stringify(profile)),
    "@SCRIPT@": script,
  };
  return readFileSync(skeleton, "utf8").replace(/@(?:POLICY|TITLE|STYLE|DATA|SCRIPT)@/g, (marker) => parts[marker]);
}
