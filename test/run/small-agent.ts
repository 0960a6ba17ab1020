import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { startTcpTarget, startTestAgent } from "./processes.ts";
import { smallRealm } from "./small-realm.ts";

/** Document of `smallRealm` with the contact `ann`, and the process `shop` that follows `web1!http`. */
export const smallAgentDocument = (address: string): string =>
  smallRealm(
    address,
    `contacts: ann: {type: "email", address: "ann@example.org"}\nprocesses: shop: rule: ref: "web1!http"`,
  );

/** Starts an agent with that document, and the target of its checks. */
export async function startSmallAgent(scope: TestScope, flags: Record<string, string | boolean> = {}) {
  const target = await startTcpTarget(scope);
  const agent = await startTestAgent(scope, { config: smallAgentDocument(target.address), flags });
  return { target, agent };
}
