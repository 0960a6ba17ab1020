import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { createConnection, type NetConnectOpts } from "node:net";
import { join } from "node:path";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { tempFolder } from "../run/processes.ts";
import { ownUser, startDaemon } from "./running-daemon.fixture.ts";

type RunningIcinga = {
  /** File of its whole configuration. */
  readonly configuration: string;
  readonly livestatus: string;
  readonly api: string;
  /** File of its certificate, which is its own authority. */
  readonly certificate: string;
  /** File with the variable state of its objects, which it writes when it stops. */
  readonly stateFile: string;
  stop(): Promise<void>;
  /** Calls its API with a body in JSON and returns the answer's text; rejects for a status other than 2xx. */
  call(path: string, body: object): Promise<string>;
};

export const icingaLogin = { user: "realmwatch", password: "password-of-the-api-user" };

/** Starts Icinga 2 with Livestatus, its API and these objects. */
export async function startIcinga(scope: TestScope, objects: string): Promise<RunningIcinga> {
  const folder = tempFolder(scope, "icinga2");
  const [socket, config, port] = [join(folder, "live"), join(folder, "icinga2.conf"), await freePort()];
  writeFileSync(
    config,
    `include <itl>
const NodeName = "icinga"
object Endpoint NodeName {}
object Zone NodeName { endpoints = [ NodeName ] }
object ApiListener "api" { bind_host = "127.0.0.1", bind_port = ${port} }
object ApiUser "${icingaLogin.user}" { password = "${icingaLogin.password}", permissions = [ "objects/query/*", "actions/*" ] }
object NotificationComponent "notification" {}
object LivestatusListener "live" { socket_type = "unix", socket_path = "${socket}" }
object CheckerComponent "checker" {}
${objects}`,
  );
  const folders = { DataDir: "lib", LogDir: "log", CacheDir: "cache", SpoolDir: "spool", InitRunDir: "run" };
  for (const name of Object.values(folders)) mkdirSync(join(folder, name));
  const certificates = join(folder, folders.DataDir, "certs");
  mkdirSync(certificates);
  const [key, certificate] = [join(certificates, "icinga.key"), join(certificates, "icinga.crt")];
  const names = ["-subj", "/CN=icinga", "-addext", "subjectAltName=DNS:icinga,IP:127.0.0.1"];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...names];
  execFileSync("openssl", [...made, "-keyout", key, "-out", certificate], { stdio: "ignore" });
  copyFileSync(certificate, join(certificates, "ca.crt"));
  const { user, group } = ownUser();
  const settings = [
    ...Object.entries(folders).map(([name, path]) => `${name}=${join(folder, path)}`),
    ...[`PidPath=${join(folder, "run/pid")}`, `RunAsUser=${user}`, `RunAsGroup=${group}`],
    ...[`Configuration.RunAsUser=${user}`, `Configuration.RunAsGroup=${group}`],
  ];
  const args = ["daemon", "-c", config, ...settings.flatMap((setting) => ["-D", setting])];
  const daemon = startDaemon(scope, "icinga2", args);
  const answers = (address: NetConnectOpts) =>
    new Promise<boolean>((resolve) => {
      const client = createConnection(address, () => resolve(true)).on("error", () => resolve(false));
      atEnd(scope, () => void client.destroy());
    });
  await until("Livestatus and the API of Icinga 2", async () => {
    daemon.assertRuns();
    return (await answers({ path: socket })) && (await answers({ host: "127.0.0.1", port }));
  });
  const base = `https://127.0.0.1:${port}`;
  return {
    configuration: config,
    livestatus: socket,
    api: base,
    certificate,
    stateFile: join(folder, folders.DataDir, "icinga2.state"),
    stop: () => daemon.stop(),
    call: (path, body) => callApi(new URL(path, base), { body, ca: readFileSync(certificate) }),
  };
}

function callApi(url: URL, { body, ca }: { readonly body: object; readonly ca: Buffer }): Promise<string> {
  return new Promise((resolve, reject) => {
    const auth = `${icingaLogin.user}:${icingaLogin.password}`;
    const sent = request(url, { method: "POST", ca, auth, headers: { accept: "application/json" } }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
      });
      response.on("end", () =>
        response.statusCode === 200
          ? resolve(text)
          : reject(new Error(`${response.statusCode}: ${text.slice(0, 500)}`)),
      );
    });
    sent.on("error", reject);
    sent.end(JSON.stringify(body));
  });
}
