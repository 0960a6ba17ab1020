import { test } from "node:test";
import { type ContractRule, contractContext, type ReadModelUnderTest } from "./contract-context.contract.ts";
import { historyRules } from "./history.contract.ts";
import { listRules } from "./lists.contract.ts";
import { realmRules } from "./realms.contract.ts";
import { versionRules } from "./versions.contract.ts";

/** Contract of every ReadModel implementation. The test of an implementation is one call. */
export function readModelContract(name: string, open: () => Promise<ReadModelUnderTest>): void {
  const rule: ContractRule = (title, check) =>
    void test(`${name}: ${title}`, async () => {
      const under = await open();
      try {
        await check(contractContext(under));
      } finally {
        await under.close();
      }
    });
  versionRules(rule);
  listRules(rule);
  historyRules(rule);
  realmRules(rule);
}
