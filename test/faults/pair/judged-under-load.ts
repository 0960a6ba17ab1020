import { seededRandom } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { healthy, type PairEnvironment } from "./pair-environment.ts";
import { type PairLoad, startPairLoad } from "./pair-load.ts";
import { lastLogs, patienceMs } from "./pair-member.ts";
import { judgePair } from "./pair-oracle.ts";
import { watchPair } from "./pair-watch.ts";

/** Runs faults at a pair under load, and judges afterwards what the clients and the receiver got. */
export async function judgedUnderLoad(
  scope: TestScope & { diagnostic(text: string): void },
  pair: PairEnvironment,
  faults: (load: PairLoad) => Promise<void>,
): Promise<void> {
  const watch = await watchPair(scope, pair);
  const load = startPairLoad(scope, pair, seededRandom(11), 150);
  try {
    await until("commands are accepted", () => load.record.results.length > 5, { withinMs: patienceMs });
    await faults(load);
    await healthy(pair);
    await load.stop();
    scope.diagnostic(await judgePair(pair, load.record, watch));
  } catch (error) {
    scope.diagnostic(lastLogs(pair.members));
    throw error;
  }
}
