import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setUpStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { centreStreams } from "@realmwatch/shared/wire/nats/nats-subjects";
import { connect, type NatsConnection } from "nats";
import type { NatsConfigurationOptions } from "../realms/nats-configuration.ts";
import { formatNatsConfiguration } from "../realms/nats-formats.ts";
import { passwordVariables } from "../realms/nats-password-variables.ts";

/** Starts a nats-server with the configuration that `nats-config` prints; passwords are in the environment. `more`: further lines of it. */
export async function startPrintedNats(options: NatsConfigurationOptions, more = "") {
  const path = join(mkdtempSync(join(tmpdir(), "realmwatch-printed-")), "nats.conf");
  writeFileSync(path, `${formatNatsConfiguration(options)}${more}\n`);
  for (const name of passwordVariables(options.realms, options.zones).all) process.env[name] = passwordOf(name);
  const server = await startNatsServer(["-c", path]);
  const connections: NatsConnection[] = [];
  const logIn = async (user: string, variable: string, inboxPrefix?: string) => {
    const inbox = inboxPrefix === undefined ? {} : { inboxPrefix };
    const connection = await connect({ servers: server.url, user, pass: passwordOf(variable), ...inbox });
    connections.push(connection);
    return connection;
  };
  const { centre, ofRealm, ofZone } = passwordVariables(options.realms, options.zones);
  return {
    server,
    centre: () => logIn("centre", centre),
    realm: (name: string) => logIn(`realm-${name}`, ofRealm(name), `_INBOX_${name}`),
    worker: (zone: string) => logIn(`worker-${zone}`, ofZone(zone)),
    /** URLs with logins. */
    realmUrl: (name: string) => server.url.replace("//", `//realm-${name}:${passwordOf(ofRealm(name))}@`),
    workerUrl: (zone: string) => server.url.replace("//", `//worker-${zone}:${passwordOf(ofZone(zone))}@`),
    centreUrl: () => server.url.replace("//", `//centre:${passwordOf(centre)}@`),
    async [Symbol.asyncDispose]() {
      await Promise.all(connections.map((connection) => connection.close()));
      await server[Symbol.asyncDispose]();
    },
  };
}

const passwordOf = (variable: string): string => `p${variable.replaceAll("_", "").toLowerCase()}`;

/** Creates the streams as the centre does. */
export async function createStreams(centre: NatsConnection) {
  const jsm = await centre.jetstreamManager();
  const { problems } = await setUpStreams(jsm, centreStreams);
  if (problems.length > 0) throw new Error(problems.join("; "));
  return jsm;
}
