import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openHttpReceiver } from "@realmwatch/agent/contacts/http/http-receiver.fixture";
import { newToken } from "@realmwatch/shared/identity/new-token";
import { hashPassword } from "@realmwatch/shared/identity/password-hash";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { type AgentStartOptions, startTestAgent, tempFolder } from "../run/processes.ts";
import { sendCommand, serviceTarget, statusRows } from "../run/rows.ts";
import { accessibilityViolations, openBrowser, openPage } from "./browser.ts";
import { passive } from "./documents.ts";

/** Starts an agent whose service `disk` is notified to a chat room; its links lead to the agent's own dashboard. */
async function startWithChat(scope: TestScope, flags: AgentStartOptions["flags"], headers = {}) {
  const room = await openHttpReceiver((response) => response.writeHead(200).end("ok"));
  atEnd(scope, async () => {
    await room[Symbol.asyncDispose]();
  });
  const port = await freePort();
  const agent = await startTestAgent(scope, {
    config: `
hosts: web1: {address: "127.0.0.1", ${passive}, services: disk: {${passive}, notification: "all"}}
contacts: room: {type: "chat_webhook", webhook_url: "${room.url}/room"}
notifications: all: levels: [{contacts: ["room"], renotify_interval: "0s"}]
`,
    realm: "fra",
    flags: { ...flags, port, "public-url": `http://127.0.0.1:${port}` },
  });
  const report = (status: string) =>
    sendCommand(
      agent.base,
      "ProcessCheckResult",
      { ...serviceTarget("web1", "disk"), status: `STATUS_${status}`, output: "/var is full" },
      headers,
    );
  const linkIn = (body: unknown): string | undefined =>
    /<(http[^|>]+\?ack=[^|>]+)\|Acknowledge>/.exec(JSON.stringify(body))?.[1];
  const links = (): string[] => room.received.map(({ body }) => linkIn(body)).filter((link) => link !== undefined);
  async function fail(): Promise<string> {
    const before = links().length;
    await report("CRITICAL");
    await until("the problem is notified", () => links().length > before);
    return links()[before] ?? "";
  }
  return { agent, report, fail };
}

test("[DL31] the signed link of a message opens the dialog after the login, which says what became of the problem", async (t) => {
  const password = "correct horse";
  const bot = newToken();
  const headers = { authorization: `Bearer ${bot.token}` };
  const folder = tempFolder(t, "link");
  const [auth, secret] = [join(folder, "auth.cue"), join(folder, "secret")];
  writeFileSync(secret, "a session secret of more than 32 bytes");
  const people = `ann: {role: "operator", password_hash: "${await hashPassword(password)}"}`;
  writeFileSync(auth, `auth: {\n\t${people}\n\tbot: {role: "operator", token_hash: "${bot.tokenHash}"}\n}\n`);
  const flags = { "auth-config": auth, "session-secret-file": secret };
  const { agent, report, fail } = await startWithChat(t, flags, headers);
  const link = await fail();
  assert.match(link, /\/o\/fra\/web1\/disk\?ack=[\w-]+\.[\w-]+\.[\w-]+$/);

  const { page, errors } = await openPage(await openBrowser(t), agent);
  await page.goto(link);
  await page.getByLabel("User name").fill("ann");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("heading", { name: "Acknowledge problem" }).waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  assert.equal(await dialog.getByRole("note").count(), 0);
  await dialog.getByLabel("Comment").fill("on it");
  await dialog.getByRole("button", { name: "Acknowledge", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal(new URL(page.url()).search, "");
  const row = async () => (await statusRows(agent.base, {}, headers))["web1!disk"];
  await until("it is acknowledged", async () => (await row())?.acknowledgement?.author === "ann");

  await page.goto(link);
  await dialog.getByRole("heading", { name: "Already acknowledged" }).waitFor();
  await dialog
    .getByText("ann acknowledged the problem of web1 › disk")
    .or(dialog.getByText(/“on it”/))
    .first()
    .waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await dialog.waitFor({ state: "detached" });

  await report("OK");
  await until("it is ok", async () => (await row())?.status === "STATUS_OK");
  await page.goto(link);
  await dialog.getByRole("heading", { name: "The problem is over" }).waitFor();

  await fail();
  await page.goto(link);
  await dialog.getByRole("note").filter({ hasText: "The present one began later." }).waitFor();
  await dialog.getByRole("heading", { name: "Acknowledge problem" }).waitFor();
  assert.deepEqual(
    errors.filter((error) => !/status of 401/.test(error)),
    [],
  );
});

test("[DL31] without sessions the link just opens the dialog", async (t) => {
  const { agent, fail } = await startWithChat(t, {});
  const link = await fail();
  assert.match(link, /\/o\/fra\/web1\/disk\?ack=\d{10}$/);
  const { page, errors } = await openPage(await openBrowser(t), { base: agent.base, width: 360 });
  await page.goto(link);
  await page.getByRole("dialog").getByRole("heading", { name: "Acknowledge problem" }).waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  await page.goto("/o/-/web1/disk?ack=1");
  await page.getByRole("dialog").getByRole("heading", { name: "Acknowledge problem" }).waitFor();
  assert.deepEqual(errors, []);
});
