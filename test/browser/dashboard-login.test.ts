import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { newToken } from "@realmwatch/shared/identity/new-token";
import { hashPassword } from "@realmwatch/shared/identity/password-hash";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser, Page } from "playwright-core";
import { startTestAgent, type TestProgram, tempFolder } from "../run/processes.ts";
import { sendCommand, serviceTarget, statusRows } from "../run/rows.ts";
import { accessibilityViolations, openBrowser, openPage, serverKnown } from "./browser.ts";
import { passive } from "./documents.ts";

const config = `hosts: web1: {address: "127.0.0.1", ${passive}, services: disk: {${passive}}}\n`;
const bot = newToken();
const headers = { authorization: `Bearer ${bot.token}` };
const password = "correct horse";

const scope = fileScope();
let agent: TestProgram;
let browser: Browser;

before(async () => {
  const hash = await hashPassword(password);
  const [auth, secret] = ["auth.cue", "secret"].map((name) => join(tempFolder(scope, "login"), name));
  writeFileSync(secret ?? "", "a session secret of more than 32 bytes");
  writeFileSync(
    auth ?? "",
    `auth: {
	ann: {role: "operator", password_hash: "${hash}"}
	vic: {password_hash: "${hash}"}
	bot: {role: "operator", token_hash: "${bot.tokenHash}"}
}\n`,
  );
  const flags = { "auth-config": auth ?? "", "session-secret-file": secret ?? "" };
  agent = await startTestAgent(scope, { config, realm: "fra", flags });
  browser = await openBrowser(scope);
  const report = { ...serviceTarget("web1", "disk"), status: "STATUS_CRITICAL", output: "/var is full" };
  await sendCommand(agent.base, "ProcessCheckResult", report, headers);
});

async function logIn(page: Page, user: string): Promise<void> {
  await page.getByLabel("User name").fill(user);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Errors of a page, except the browser's own reports of calls that were answered with HTTP 401. */
const unexpected = (errors: readonly string[]): string[] => errors.filter((error) => !/status of 401/.test(error));

test("[AT11] a deep link leads to the login page and back, and the session holds for other tabs", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/objects?q=disk");
  await page.waitForURL((url) => url.pathname === "/login");
  await page.getByRole("heading", { name: "Sign in to Realmwatch" }).waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  await page.getByLabel("User name").fill("ann");
  await page.getByLabel("Password").fill("wrong");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: "The user name or the password is wrong." }).waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  assert.deepEqual(
    [await page.getByLabel("User name").inputValue(), await page.getByLabel("Password").inputValue()],
    ["ann", ""],
  );
  await logIn(page, "ann");
  await page.waitForURL((url) => url.pathname === "/objects" && url.search.includes("disk"));
  await page.getByText("ann (operator)").waitFor();
  const tab = await page.context().newPage();
  await tab.goto("/");
  await tab.getByRole("row", { name: /web1.*disk/ }).waitFor();
  await tab.goto("/login");
  await tab.waitForURL((url) => url.pathname === "/");
  await agent.restart();
  await tab.reload();
  await tab.getByRole("row", { name: /web1.*disk/ }).waitFor();
  // The page polls while the agent restarts.
  assert.deepEqual(
    unexpected(errors).filter((error) => !/Failed to load resource/.test(error)),
    [],
  );
});

test("[AT11] signing out leads to the login page, and no page can be read after it", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/");
  await logIn(page, "ann");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL((url) => url.pathname === "/login");
  await page.goto("/history");
  await page.waitForURL((url) => url.pathname === "/login");
  assert.deepEqual(unexpected(errors), []);
});

test("[AT11] a token is the second way, and an earlier session of another user does not disturb it", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/");
  await logIn(page, "vic");
  await page.getByText("vic (viewer)").waitFor();
  const other = await page.context().newPage();
  await page.context().clearCookies();
  await other.goto("/contacts");
  await other.getByText("Sign in with a token").click();
  await other.getByLabel("Access token").fill("not-the-token");
  await other.getByRole("button", { name: "Use token" }).click();
  await other.getByRole("alert").filter({ hasText: "does not accept the token" }).waitFor();
  assert.deepEqual(await accessibilityViolations(other), []);
  await other.getByLabel("Access token").fill(bot.token);
  await other.getByRole("button", { name: "Use token" }).click();
  await other.waitForURL((url) => url.pathname === "/contacts");
  await other.getByText("bot (operator)").waitFor();
  assert.deepEqual(unexpected(errors), []);
});

test("[AT12] when the session ends a dialog asks for the password, and what was typed stays", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/");
  await logIn(page, "ann");
  await page.getByRole("row", { name: /web1.*disk/ }).waitFor();
  await serverKnown(page);
  await page.keyboard.press("j");
  await page.keyboard.press("a");
  const dialog = page.getByRole("dialog", { name: "Acknowledge problem" });
  await dialog.getByLabel(/Comment/).fill("a new disk is on its way");
  // The command is to find out first that the session has ended, not a poll.
  const { promise: sent, resolve: markSent } = Promise.withResolvers<void>();
  await page.route("**/svc.v1.QueryService/*", async (route) => {
    await sent;
    await route.continue();
  });
  await page.context().clearCookies();
  await page.keyboard.press("Control+Enter");
  markSent();
  const ended = page.getByRole("dialog", { name: "Your session has ended" });
  await ended.waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  await page.keyboard.press("Escape");
  assert.equal(await ended.getByLabel("User name").inputValue(), "ann");
  await ended.getByLabel("Password").fill(password);
  await page.keyboard.press("Enter");
  await ended.waitFor({ state: "detached" });
  assert.equal(await dialog.getByLabel(/Comment/).inputValue(), "a new disk is on its way");
  await dialog.getByRole("button", { name: /Retry/ }).click();
  await dialog.waitFor({ state: "detached" });
  await until("the problem is acknowledged by ann", async () => {
    const row = (await statusRows(agent.base, {}, headers))["web1!disk"];
    return row?.acknowledgement?.author === "ann";
  });
  assert.deepEqual(unexpected(errors), []);
});

test("[AT13] a viewer's actions are disabled and say which role they need", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/o/-/web1/disk");
  await logIn(page, "vic");
  const button = page.getByRole("button", { name: "Check now", disabled: true });
  const description = async (): Promise<string | null> =>
    page.locator(`[id="${(await button.getAttribute("aria-describedby")) ?? ""}"]`).textContent();
  await until("the role is named", async () => (await description()) === "Needs operator: vic is viewer");
  assert.deepEqual(await accessibilityViolations(page), []);
  assert.deepEqual(unexpected(errors), []);
});
