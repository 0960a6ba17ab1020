import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { connect } from "nats";
import { parse } from "yaml";
import { tempFolder } from "../run/processes.ts";
import { centreValues, centreValuesFile } from "./centre-values.ts";

test("the values of a centre have the NATS permissions of its realms: node test/charts/write.ts", () => {
  assert.equal(readFileSync(centreValuesFile, "utf8"), centreValues());
});

test("a nats-server with the configuration that the chart of NATS makes of these values lets each user in", async (t) => {
  const { config, container } = parse(centreValues()).nats;
  const variables = Object.keys(container.env);
  assert.deepEqual(variables, ["NATS_PASSWORD_CENTRE", "NATS_PASSWORD_REALM_FRA", "NATS_PASSWORD_REALM_AMS"]);
  for (const name of variables) process.env[name] = `p${name.length}`;
  // The chart writes `config.merge` as JSON, in which `<< … >>` stands for a value without quotes.
  const text = JSON.stringify(config.merge).replaceAll(/"<< (.+?) >>"/g, "$1");
  const file = join(tempFolder(t, "nats-chart"), "nats.conf");
  writeFileSync(file, `{"jetstream": {}, ${text.slice(1)}`);
  await using server = await startNatsServer(["-c", file]);
  const logIn = (user: string, variable: string) =>
    connect({ servers: server.url, user, pass: process.env[variable] ?? "", inboxPrefix: `_INBOX_${user.slice(6)}` });
  const fra = await logIn("realm-fra", "NATS_PASSWORD_REALM_FRA");
  await fra.close();
  await assert.rejects(logIn("realm-ams", "NATS_PASSWORD_CENTRE"), /Authorization/i);
  const centre = await connect({
    servers: server.url,
    user: "centre",
    pass: process.env["NATS_PASSWORD_CENTRE"] ?? "",
  });
  await (await centre.jetstreamManager()).streams.add({ name: "S", subjects: ["svc.v1.state.>"] });
  await centre.close();
});
