import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import type { Browser } from "playwright-core";
import { startTestAgent, tempFolder } from "../run/processes.ts";
import { openBrowser, openPage } from "./browser.ts";
import { breakDisk, oneDisk } from "./documents.ts";

const scope = fileScope();
let browser: Browser;

before(async () => {
  browser = await openBrowser(scope);
});

test("[DB60] while the server is down rows stay with their age, and update when it is back", async (t) => {
  const agent = await startTestAgent(t, { config: oneDisk });
  await breakDisk(agent.base);
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/");
  await page.getByText("/var is full").waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  await agent.stop();
  await page.getByText("Connection lost.").waitFor();
  await page.getByText("/var is full").waitFor();
  await page.getByText(/^Reconnecting \d\d:\d\d$/).waitFor();
  await agent.restart();
  await page.getByText("Connection lost.").waitFor({ state: "detached" });
  await page.getByText("/var is full").waitFor();
  // The browser reports each failed request as an error; there must be no others.
  assert.deepEqual(
    errors.filter((text) => !text.includes("Failed to load resource")),
    [],
  );
});

test("commands to a read-only server are disabled with the reason", async (t) => {
  const writable = await startTestAgent(t, { config: oneDisk });
  await breakDisk(writable.base);
  await writable.restart({ "read-only": true });
  const { page, errors } = await openPage(browser, writable);
  await page.goto("/o/-/web1/disk");
  const button = page.getByRole("button", { name: "Acknowledge" });
  await button.waitFor();
  assert.equal(await button.getAttribute("aria-disabled"), "true");
  await button.hover();
  await page.getByRole("tooltip", { name: "" }).filter({ hasText: "This server is read-only" }).first().waitFor();
  await button.click({ force: true });
  assert.equal(await page.getByRole("dialog").count(), 0);
  assert.deepEqual(errors, []);
});

test("a token is requested when a command requires it, and then used", async (t) => {
  const token = "correct-horse-battery";
  const agent = await startTestAgent(t, { config: oneDisk, flags: { "api-token": token } });
  await breakDisk(agent.base, { authorization: `Bearer ${token}` });
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/o/-/web1/disk");
  const acknowledge = async (): Promise<void> => {
    await page.getByRole("button", { name: "Acknowledge" }).click();
    const dialog = page.getByRole("dialog", { name: "Acknowledge problem" });
    await dialog.getByLabel(/Comment/).fill("known");
    await dialog.getByRole("button", { name: "Acknowledge" }).click();
  };
  await acknowledge();
  await page.getByText("unauthenticated").waitFor();
  await page.getByRole("button", { name: "Enter a token" }).click();
  await page.getByLabel("Access token").fill(token);
  await page.getByRole("button", { name: "Use token" }).click();
  await acknowledge();
  await page.getByRole("button", { name: "Remove acknowledgement" }).waitFor();
  assert.deepEqual(
    errors.filter((text) => !text.includes("401")),
    [],
  );
});

test("with authentication a token opens the requested page, with the commands of its role", async (t) => {
  const [ann, eve] = [randomBytes(24).toString("base64url"), randomBytes(24).toString("base64url")];
  const hash = (token: string): string => `sha256:${createHash("sha256").update(token).digest("hex")}`;
  const file = join(tempFolder(t), "auth.cue");
  writeFileSync(
    file,
    `auth: {ann: {role: "operator", token_hash: "${hash(ann)}"}, eve: {role: "viewer", token_hash: "${hash(eve)}"}}\n`,
  );
  const agent = await startTestAgent(t, { config: oneDisk, flags: { "auth-config": file } });
  await breakDisk(agent.base, { authorization: `Bearer ${ann}` });
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/o/-/web1/disk");
  const enter = async (token: string): Promise<void> => {
    const field = page.getByLabel("Access token");
    if (!(await field.isVisible())) await page.getByText("Sign in with a token").click();
    await field.fill(token);
    await page.getByRole("button", { name: "Use token" }).click();
  };
  await enter("no-such-token");
  await page.getByText("The server does not accept the token.").waitFor();
  await enter(eve);
  await page.getByRole("paragraph").filter({ hasText: "Needs operator: eve is viewer" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Acknowledge" }).getAttribute("aria-disabled"), "true");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL((url) => url.pathname === "/login");
  await enter(ann);
  await page.getByText("ann (operator)").waitFor();
  await page.goto("/o/-/web1/disk");
  await page.getByRole("button", { name: "Acknowledge" }).click();
  const dialog = page.getByRole("dialog", { name: "Acknowledge problem" });
  await dialog.getByText("Recorded as ann.").waitFor();
  await dialog.getByLabel(/Comment/).fill("known");
  await dialog.getByRole("button", { name: "Acknowledge" }).click();
  await page.getByText(/Acknowledged by ann/).waitFor();
  assert.deepEqual(
    errors.filter((text) => !text.includes("401")),
    [],
  );
});
