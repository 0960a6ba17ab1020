// Prints the result of five echoes to each given address as a line of JSON; with `--ping` first, sent by the ping program.
import { checkEnvironment, openTestDependencies, servicePlan } from "@realmwatch/agent/checks/plan.fixture";
import { runCheck } from "@realmwatch/agent/checks/run-check";

const [first = "", ...others] = process.argv.slice(2);
const byPing = first === "--ping";
const dependencies = openTestDependencies();
const unable = { probe: async () => ({ kind: "unavailable" as const }), close: async () => {} };
const own = byPing ? { ...dependencies, echoes: unable } : dependencies;
const probe = async (address: string): Promise<unknown> => {
  if (!byPing) return dependencies.echoes.probe({ address, count: 5, spacingMs: 20, timeoutMs: 1_500 });
  const { output, perfdata } = await runCheck(
    servicePlan({ type: "icmp", host: address }, 3_000),
    checkEnvironment(),
    own,
  );
  const lost = perfdata.find(({ label }) => label === "pl")?.value ?? Number.NaN;
  return {
    kind: "answered",
    received: 5 - lost / 20,
    refusal: /came back(?:, [^:]*)?(?:: (.*))?$/.exec(output)?.[1] ?? "",
  };
};
for (const result of await Promise.all((byPing ? others : [first, ...others]).map(probe)))
  console.log(JSON.stringify(result));
await dependencies.close();
