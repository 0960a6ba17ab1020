import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startTcpTarget, startTestAgent, tempFolder } from "../../run/processes.ts";
import { statusRows } from "../../run/rows.ts";
import { smallRealm } from "../../run/small-realm.ts";

/** Document of the guarded agent, whose contact has a secret. */
export const guardedDocument = (address: string): string =>
  smallRealm(address, `contacts: chat: {type: "chat_webhook", webhook_url: "https://chat.example.org/hooks/hidden"}`);

const token = "a-token-of-an-admin-0123456789abcdef";

/** Starts an agent that authenticates its callers, with the environment for calls. */
export async function startGuarded(scope: TestScope) {
  const target = await startTcpTarget(scope);
  const auth = join(tempFolder(scope), "auth.cue");
  const digest = createHash("sha256").update(token).digest("hex");
  writeFileSync(auth, `auth: ann: {role: "admin", token_hash: "sha256:${digest}"}\n`);
  const agent = await startTestAgent(scope, {
    config: guardedDocument(target.address),
    realm: "fra",
    flags: { "auth-config": auth },
  });
  const headers = { authorization: `Bearer ${token}` };
  await until("first checks", async () => {
    const rows = Object.values(await statusRows(agent.base, {}, headers));
    return rows.filter(({ status }) => status === "STATUS_OK").length === 2;
  });
  return { agent, target, env: { REALMWATCH_SERVER: agent.base, REALMWATCH_TOKEN: token, NO_COLOR: "1" } };
}
