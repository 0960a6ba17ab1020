import { createServer } from "node:net";
import { checkEnvironment, openTestDependencies, servicePlan } from "@realmwatch/agent/checks/plan.fixture";
import { runCheck } from "@realmwatch/agent/checks/run-check";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";

/** Checks at a time. */
const concurrency = 16;
/** Turns of each kind: other load of the machine affects both alike. */
const turns = 6;

/** Rates of TCP checks, 1/s: the medians of turns without and with other work in the same process. */
type ComparedChecks = { readonly alone: number; readonly beside: number };

/**
 * Runs TCP checks at full speed, in turns of a second without other work and beside it.
 *
 * @param work other work, which ends soon after `isOver` returns true; it receives the milliseconds since its beginning
 */
export async function compareTcpChecks(
  scope: TestScope,
  work: (turn: { readonly isOver: () => boolean; readonly elapsedMs: () => number }) => Promise<void>,
): Promise<ComparedChecks> {
  const server = createServer((socket) => socket.on("error", () => {}).end());
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const tools = openTestDependencies();
  atEnd(scope, async () => {
    server.close();
    await tools.close();
  });
  const plan = servicePlan({ type: "tcp", host: "127.0.0.1", port });
  const about = checkEnvironment();

  async function checksPerSecond(withWork: boolean): Promise<number> {
    const startMs = performance.now();
    const elapsedMs = (): number => performance.now() - startMs;
    const isOver = (): boolean => elapsedMs() >= 1_000;
    let checks = 0;
    const check = async (): Promise<void> => {
      for (; !isOver(); checks += 1) await runCheck(plan, about, tools);
    };
    const workers = Array.from({ length: concurrency }, check);
    await Promise.all([...workers, ...(withWork ? [work({ isOver, elapsedMs })] : [])]);
    return checks / (elapsedMs() / 1_000);
  }

  await checksPerSecond(true);
  const [alone, beside]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < turns; turn++) {
    alone.push(await checksPerSecond(false));
    beside.push(await checksPerSecond(true));
  }
  return { alone: middle(alone), beside: middle(beside) };
}

const middle = (rates: readonly number[]): number => rates.toSorted((a, b) => a - b)[rates.length >> 1] ?? 0;
