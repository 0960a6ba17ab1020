import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { newToken } from "@realmwatch/shared/identity/new-token";
import { hashPassword } from "@realmwatch/shared/identity/password-hash";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser, Page } from "playwright-core";
import { call } from "../run/call.ts";
import { startTestAgent, type TestProgram, tempFolder } from "../run/processes.ts";
import { sendCommand, serviceTarget } from "../run/rows.ts";
import { accessibilityViolations, openBrowser, openPage } from "./browser.ts";
import { breakDisk, oneDisk, passive } from "./documents.ts";

const bot = newToken();
const headers = { authorization: `Bearer ${bot.token}` };
const password = "correct horse";

const scope = fileScope();
let agent: TestProgram;
let browser: Browser;
let file: string;

before(async () => {
  const hash = await hashPassword(password);
  const folder = tempFolder(scope, "config-page");
  file = join(folder, "realm.cue");
  writeFileSync(file, oneDisk);
  writeFileSync(join(folder, "secret"), "a session secret of more than 32 bytes");
  writeFileSync(
    join(folder, "auth.cue"),
    `auth: {
	ann: {role: "admin", password_hash: "${hash}"}
	ope: {role: "operator", password_hash: "${hash}"}
	bot: {role: "admin", token_hash: "${bot.tokenHash}"}
}\n`,
  );
  const flags = { "auth-config": join(folder, "auth.cue"), "session-secret-file": join(folder, "secret") };
  agent = await startTestAgent(scope, { config: file, realm: "fra", flags });
  browser = await openBrowser(scope);
});

async function openAs(user: string, path: string, more: { scheme?: "dark"; width?: number } = {}) {
  const watched = await openPage(browser, { base: agent.base, ...more });
  const { page } = watched;
  await page.goto(path);
  await page.getByLabel("User name").fill(user);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(`**${path}`);
  return watched;
}

/** Errors of a page, except the browser's own reports of the calls before the login and of refused documents. */
const unexpected = (errors: readonly string[]): string[] => errors.filter((error) => !/status of 40[01]/.test(error));

async function typeDocument(page: Page, text: string): Promise<void> {
  const editor = page.getByRole("textbox", { name: "Configuration" });
  await editor.click();
  await page.keyboard.press("Control+a");
  // Inserted at once: typing would indent and close brackets.
  await page.keyboard.insertText(text);
}

const withHost = (name: string, document = oneDisk): string =>
  `${document}hosts: ${name}: {address: "127.0.0.1", ${passive}}\n`;
const servedDocument = async (): Promise<unknown> =>
  (await call(agent.base, "AdminService/GetConfig", {}, headers)).body["cue"];

test("[DB7] problems of a document are listed as it is typed, and lead to their line", async () => {
  const { page, errors } = await openAs("ann", "/config");
  await page.getByText("Valid", { exact: true }).waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  await typeDocument(page, `${oneDisk}hosts: web2: {adress: "127.0.0.1"}\n`);
  const problem = page.getByRole("list", { name: "Problems" }).getByRole("button").first();
  await problem.waitFor();
  assert.match((await problem.textContent()) ?? "", /^7:/);
  assert.equal(await page.getByRole("button", { name: "Review changes" }).isDisabled(), true);
  await problem.click();
  await page.keyboard.press("End");
  await page.keyboard.insertText(" // here");
  await page
    .locator(".cm-activeLine")
    .filter({ hasText: /web2.*here/ })
    .waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  assert.deepEqual(unexpected(errors), []);
});

test("[DB8] a change is applied after a review with its effects and its differences", async () => {
  const { page, errors } = await openAs("ann", "/config", { scheme: "dark", width: 390 });
  await typeDocument(page, withHost("web2"));
  await page.getByRole("button", { name: "Review changes" }).click();
  await page.getByText("+1 host").waitFor();
  await page.locator(".diff-line.is-added", { hasText: "web2" }).waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  await page.getByRole("button", { name: /^Apply to/ }).click();
  await page.getByText("Applied: the new configuration").waitFor();
  assert.equal(readFileSync(file, "utf8"), withHost("web2"));
  await page.getByText("Valid", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Review changes", disabled: true }).waitFor();
  assert.deepEqual(unexpected(errors), []);
});

test("[DB9] the removal of objects with comments has to be confirmed", async () => {
  await call(agent.base, "AdminService/ApplyConfig", { cue: oneDisk }, headers);
  await breakDisk(agent.base, headers);
  const comment = { target: serviceTarget("web1", "disk"), text: "a new disk is on its way" };
  await sendCommand(agent.base, "AddComment", comment, headers);
  const { page, errors } = await openAs("ann", "/config");
  await page.getByText("Valid", { exact: true }).waitFor();
  await typeDocument(page, `hosts: web1: {address: "127.0.0.1", ${passive}}\n`);
  await page.getByRole("button", { name: "Review changes" }).click();
  await page.getByText("-1 service").waitFor();
  await page.getByText(/with it the comment of .*: "a new disk is on its way"/).waitFor();
  const apply = page.getByRole("button", { name: /^Apply to/ });
  assert.equal(await apply.isDisabled(), true);
  await page.getByLabel("Apply although objects or their data are removed").check();
  assert.equal(await apply.isDisabled(), false);
  await page.getByRole("button", { name: "Back to the editor" }).click();
  await page.getByRole("button", { name: "Discard changes" }).click();
  assert.equal(await servedDocument(), oneDisk);
  assert.deepEqual(unexpected(errors), []);
});

test("[DB10] a document that was applied meanwhile is shown, and nothing is overwritten unseen", async () => {
  await call(agent.base, "AdminService/ApplyConfig", { cue: oneDisk }, headers);
  const { page, errors } = await openAs("ann", "/config");
  await page.getByText("Valid", { exact: true }).waitFor();
  await typeDocument(page, withHost("mine"));
  await page.getByRole("button", { name: "Review changes" }).click();
  await page.getByText("+1 host").waitFor();
  await call(agent.base, "AdminService/ApplyConfig", { cue: withHost("theirs") }, headers);
  await page.getByRole("button", { name: /^Apply to/ }).click();
  await page.getByRole("heading", { name: "The configuration has changed since you opened it" }).waitFor();
  assert.equal(await servedDocument(), withHost("theirs"));
  assert.deepEqual(await accessibilityViolations(page), []);
  await page.getByRole("button", { name: "Continue with my text" }).click();
  await page.getByText("+1 host, -1 host").waitFor();
  await page.getByRole("button", { name: "Back to the editor" }).click();
  assert.deepEqual(unexpected(errors), []);
});

test("[DB11] the audit log lists calls with their sender, and is filtered", async () => {
  await until("the login is audited", async () => {
    const { body } = await call(agent.base, "AdminService/ListAuditRecords", {}, headers);
    return JSON.stringify(body).includes("Login");
  });
  for (const scheme of [{}, { scheme: "dark", width: 360 }] as const) {
    const { page, errors } = await openAs("ann", "/audit", scheme);
    await page.locator("td", { hasText: "ApplyConfig" }).first().waitFor();
    if ("width" in scheme) await page.getByRole("button", { name: "Filters" }).click();
    await page.getByLabel("Call").selectOption("Login");
    await page.waitForURL("**/audit?call=Login");
    await page.locator("td", { hasText: "ApplyConfig" }).first().waitFor({ state: "detached" });
    assert.deepEqual(await accessibilityViolations(page), []);
    if ("width" in scheme) await page.getByRole("button", { name: "Show the records" }).click();
    assert.ok(
      await page.evaluate<boolean>("document.documentElement.scrollWidth <= innerWidth"),
      "no sideways scrolling",
    );
    await page.getByLabel("Search in the audit log").fill("nothing like this");
    await page.getByRole("heading", { name: /The filter hides/ }).waitFor();
    assert.deepEqual(unexpected(errors), []);
  }
});

test("[DB12] pages of administrators say which role they need, and have no link for others", async () => {
  const { page, errors } = await openAs("ope", "/config");
  await page.getByText("Needs the role admin: ope is operator.").waitFor();
  assert.equal(await page.getByRole("link", { name: "Configuration" }).count(), 0);
  await page.goto("/audit");
  await page.getByText("Needs the role admin: ope is operator.").waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  assert.deepEqual(unexpected(errors), []);
});
