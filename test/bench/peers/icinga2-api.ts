import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { icinga2Arguments } from "./icinga2-checker.ts";

/** Calls of Icinga 2's REST API over connections that stay open. */
export type IcingaApi = {
  readonly pid: number;
  /** Reads the `n`-th host. Rejects when the answer is not 200. */
  readHost(n: number): Promise<void>;
  /** Submits a result for each host in one call. Rejects when the answer is not 200. */
  processResults(output: string): Promise<void>;
};

const authorization = `Basic ${Buffer.from("bench:bench").toString("base64")}`;

/** Configuration with `hosts` passive hosts and an API that is open to one user. */
const configuration = (hosts: number, port: number): string => `const NodeName = "bench"
object IcingaApplication "app" { enable_notifications = false }
object Endpoint NodeName {}
object Zone NodeName { endpoints = [ NodeName ] }
object ApiListener "api" { bind_host = "127.0.0.1", bind_port = ${port} }
object ApiUser "bench" { password = "bench", permissions = [ "objects/query/*", "actions/process-check-result" ] }
object CheckCommand "none" { command = [ "/bin/true" ] }
for (i in range(${hosts})) {
  object Host "web" + i use (i) {
    check_command = "none"
    address = "127.0.0.1"
    enable_active_checks = false
    vars.rack = "r" + (i % 40)
  }
}
`;

/** Starts Icinga 2 with `hosts` hosts for the duration of `scope`; undefined when it is not installed. */
export async function startIcingaApi(
  scope: TestScope,
  { hosts, clients }: { readonly hosts: number; readonly clients: number },
): Promise<IcingaApi | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "icinga2-api-"));
  atEnd(scope, () => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const port = await freePort();
  await writeFile(join(folder, "icinga2.conf"), configuration(hosts, port));
  await writeCertificates(join(folder, "certs"));
  const icinga = await start(icinga2Arguments(folder));
  if (icinga === undefined) return undefined;
  atEnd(scope, () => end(icinga));
  const agent = new Agent({ keepAlive: true, maxSockets: clients, rejectUnauthorized: false });
  atEnd(scope, () => agent.destroy());
  const send = async (method: "GET" | "POST", path: string, body = ""): Promise<void> => {
    const headers = { authorization, accept: "application/json", "content-length": Buffer.byteLength(body) };
    const sent = request({ agent, port, method, host: "127.0.0.1", path, headers });
    sent.end(body);
    const [response] = await once(sent, "response");
    let size = 0;
    for await (const chunk of response) size += chunk.length;
    if (response.statusCode !== 200 || size === 0) throw new Error(`Icinga 2 answered ${response.statusCode}`);
  };
  const readHost = (n: number): Promise<void> => send("GET", `/v1/objects/hosts/web${n}`);
  const processResults = (output: string): Promise<void> => {
    const result = { type: "Host", filter: "true", exit_status: 0, plugin_output: output };
    return send("POST", "/v1/actions/process-check-result", JSON.stringify(result));
  };
  const isUp = async (): Promise<boolean> => {
    if (icinga.exitCode !== null) throw new Error(`Icinga 2 ended with ${icinga.exitCode}`);
    return readHost(hosts - 1).then(
      () => true,
      () => false,
    );
  };
  await until("Icinga 2 answers", isUp, { withinMs: 120_000 });
  return { pid: icinga.pid ?? 0, readHost, processResults };
}

/** Writes a certificate that is its own authority: the listener starts with nothing less. */
async function writeCertificates(folder: string): Promise<void> {
  await mkdir(folder);
  const [key, certificate] = [join(folder, "bench.key"), join(folder, "bench.crt")];
  const options = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=bench"];
  execFileSync("openssl", ["req", ...options, "-keyout", key, "-out", certificate], { stdio: "ignore" });
  execFileSync("cp", [certificate, join(folder, "ca.crt")]);
}

async function start(args: readonly string[]): Promise<ChildProcess | undefined> {
  const child = spawn("icinga2", args, { stdio: "ignore" });
  try {
    await once(child, "spawn");
    return child;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
}
