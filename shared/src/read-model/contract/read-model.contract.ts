import { test } from "node:test";
import { contractContext, type ReadModelUnderTest, type ContractRule } from "./contract-context.contract.ts";
import { historyRules } from "./history.contract.ts";
import { listRules } from "./lists.contract.ts";
import { versionRules } from "./versions.contract.ts";

/** What every ReadModel promises, whatever it is made of. Each implementation's test is one call. */
export function readModelContract(name: string, open: () => Promise<ReadModelUnderTest>): void {
  const rule: ContractRule = (sentence, prove) =>
    void test(`${name}: ${sentence}`, async () => {
      const under = await open();
      try {
        await prove(contractContext(under));
      } finally {
        await under.close();
      }
    });
  versionRules(rule);
  listRules(rule);
  historyRules(rule);
}
