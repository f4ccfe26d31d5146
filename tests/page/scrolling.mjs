// SPDX-License-Identifier: Apache-2.0
// What a jump within a long list costs. Processor time of the page's main thread, so that other programs do not count.

const jumps = 40;

/// The third-dearest jump in seconds (one garbage collection in two of them does not count), and the most rows that were in the document.
export async function measureScrolling(page, list) {
  const client = await page.createCDPSession();
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  const spent = async () => (await client.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value;
  const spans = [];
  let rows = 0;
  for (let jump = 0; jump < jumps; ++jump) {
    const before = await spent();
    // In steps of a prime, so that no jump lands on rows that are drawn already.
    rows = Math.max(rows, await page.evaluate(async (selector, part) => {
      const element = document.querySelector(selector);
      element.scrollTop = part * (element.scrollHeight - element.clientHeight);
      for (let frame = 0; frame < 2; ++frame) await new Promise(requestAnimationFrame);
      return element.querySelectorAll(".room .row").length;
    }, list, ((jump * 17) % jumps) / (jumps - 1)));
    spans.push(await spent() - before);
  }
  await client.detach();
  return { seconds: spans.sort((a, b) => b - a)[2], rows };
}
