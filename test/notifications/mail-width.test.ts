import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatMailHtml } from "@realmwatch/agent/contacts/format/mail-html";
import { describeMessage } from "@realmwatch/agent/contacts/format/plain-text";
import {
  notificationAtMs,
  problemNotification,
  recoveryNotification,
} from "@realmwatch/agent/contacts/notification.fixture";
import { perfPoint } from "@realmwatch/shared/model/perfdata";
import { openBrowser } from "../browser/browser.ts";

const origin = { realm: "fra", publicUrl: "https://monitoring.example.org" };
const long = `/var/lib/${"a-very-long-path-segment/".repeat(12)}end`;
const problem = problemNotification({
  output: `HTTP 503 after 2.1 s: ${long}`,
  longOutput: `upstream a: refused\nupstream b: refused\n${"x".repeat(300)}`,
  perfdata: [{ ...perfPoint("time", 2.1, "s"), warn: "1", crit: "2" }],
  labels: { team: "shop", site: "fra", "very.long.label.name": "with-an-even-longer-value-that-never-ends" },
  sinceMs: notificationAtMs - 5_400_000,
  problemSinceMs: notificationAtMs - 7_200_000,
  lastOkAtMs: notificationAtMs - 7_260_000,
  address: "2001:db8:85a3:8d3:1319:8a2e:370:7348",
});
const acknowledged = problemNotification({
  kind: "ACKNOWLEDGEMENT",
  author: "Ann",
  comment: "Looking into it.\nBack at 4.",
});
const digest = [
  problem,
  problemNotification({ id: "n3", key: { kind: "host", name: "db1".repeat(40) } }),
  recoveryNotification(),
];
const mails = { problem: [problem], acknowledgement: [acknowledged], recovery: [recoveryNotification()], digest };

/** Folder for screenshots; without it none are written. */
const screenshots = process.env["MAIL_SCREENSHOTS"];

for (const width of [320, 600])
  test(`[DL30] a mail fits into ${width} px: no horizontal scrolling, readable text, buttons for fingers`, async (t) => {
    const browser = await openBrowser(t);
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    for (const [name, notifications] of Object.entries(mails)) {
      await page.setContent(formatMailHtml(describeMessage({ id: "m", notifications }, origin)));
      if (screenshots !== undefined)
        writeFileSync(join(screenshots, `${name}-${width}.png`), await page.screenshot({ fullPage: true }));
      const measured = await page.evaluate(`({
        width: document.documentElement.scrollWidth,
        sizes: [...document.querySelectorAll("body *")].map((one) => parseFloat(getComputedStyle(one).fontSize)),
        links: [...document.querySelectorAll("a")].map((one) => one.getBoundingClientRect().height),
      })`);
      const { width: used, sizes, links } = measured as { width: number; sizes: number[]; links: number[] };
      assert.equal(used, width, name);
      assert.ok(Math.min(...sizes) >= 14, name);
      assert.ok(links.length > 0 && Math.min(...links) >= 44, `${name}: ${links}`);
    }
  });
