// SPDX-License-Identifier: Apache-2.0
// node check-reports.mjs FILE… [--screenshots DIR]: checks reports in both colour schemes; exit 1 where one is at fault.
import { mkdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { launch, missing } from "./browser.mjs";
import { checkReport } from "./check.mjs";

const { values, positionals: files } = parseArgs({ allowPositionals: true, options: { screenshots: { type: "string" } } });
if (files.length === 0) {
  console.error("usage: check-reports.mjs FILE… [--screenshots DIR]");
  process.exit(2);
}
const reason = missing();
if (reason) {
  console.log(`SKIPPED: ${reason}`);
  process.exit(0);
}
if (values.screenshots) mkdirSync(values.screenshots, { recursive: true });
// Four browsers side by side: most of the time is waiting for frames.
const visits = files.flatMap((file) => ["light", "dark"].map((scheme) => ({ file, scheme })));
await Promise.all(Array.from({ length: Math.min(4, visits.length) }, async () => {
  const { browser, close } = await launch();
  try {
    for (let visit = visits.shift(); visit; visit = visits.shift()) {
      const { file, scheme } = visit;
      const { faults, facts, views } = await checkReport(browser, file, { scheme, screenshots: values.screenshots });
      const told = Object.entries(facts).map(([name, value]) => `${name} ${value}`).join(", ");
      console.log(`${faults.length === 0 ? "ok" : "FAULTY"} ${file} ${scheme}: ${views.join(" ")}; ${told}`);
      for (const fault of faults) console.log(`  ${fault}`);
      if (faults.length > 0) process.exitCode = 1;
    }
  } finally {
    await close();
  }
}));
