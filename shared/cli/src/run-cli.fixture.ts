import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { StateType, Status } from "@realmwatch/proto/svc/v1/common_pb";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import type { AgentProgramRun } from "./local/run-agent-program.ts";
import { type CliEnvironment, runCli } from "./run-cli.ts";

/** Servers on free ports of the loopback interface; they are closed with `after`. */
export function openCliServers(after: (close: () => void) => void) {
  const servers: Server[] = [];
  after(() => {
    for (const server of servers) server.closeAllConnections();
    for (const server of servers) server.close();
  });
  /** Starts a server and returns its URL. */
  async function listen(server: Server): Promise<string> {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const serve = (routes: (router: ConnectRouter) => void): Promise<string> =>
    listen(createServer(connectNodeAdapter({ routes })));
  return { listen, serve };
}

/** Environment of a command line on 2026-03-28 at 17:00 UTC. It discards the output. */
export const testEnvironment: CliEnvironment = {
  args: [],
  env: {},
  clock: manualClock(Date.parse("2026-03-28T17:00:00Z")),
  zone: "Europe/Berlin",
  terminal: () => undefined,
  clear: () => {},
  colours: false,
  loginName: () => "ann",
  confirm: undefined,
  readPassword: async () => undefined,
  runAgent: async () => ({ code: 0, stdout: "" }),
  print: () => {},
  printError: () => {},
};

/** Runs the command line on 2026-03-28 at 17:00 UTC; returns its exit code, its output and its runs of the agent. */
export async function runTestCli(args: readonly string[], environment: Partial<CliEnvironment> = {}) {
  let [stdout, stderr] = ["", ""];
  const runs: AgentProgramRun[] = [];
  const code = await runCli({
    ...testEnvironment,
    args,
    clock: manualClock(Date.parse("2026-03-28T17:00:00Z")),
    runAgent: async (order) => {
      runs.push(order);
      return { code: 0, stdout: "-1 service\n" };
    },
    print: (text) => {
      stdout += text;
    },
    printError: (text) => {
      stderr += text;
    },
    ...environment,
  });
  return { code, stdout, stderr, runs };
}

/** Row of a host that is OK; `realm` is empty for a row of an agent. */
export const cliHostRow = (realm: string, name: string) => ({
  realm,
  status: Status.OK,
  stateType: StateType.HARD,
  object: { ref: { case: "host" as const, value: { name } } },
});
