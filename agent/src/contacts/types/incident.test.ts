import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContactPlan } from "@realmwatch/shared/config/plan";
import type { NotificationKind } from "@realmwatch/shared/model/notification";
import { notificationKinds } from "@realmwatch/shared/model/notification";
import { hideSecret } from "@realmwatch/shared/platform/flags/secret";
import { canarySecret, contactContract, openHttpContact } from "../contact.contract.ts";
import { commonContactFields, openTestContactDependencies } from "../contact-dependencies.fixture.ts";
import { openHttpReceiver } from "../http/http-receiver.fixture.ts";
import { problemNotification } from "../notification.fixture.ts";

const incident: ContactPlan = { ...commonContactFields, type: "incident", alertSourceConfigId: "01C4NARY5Z3T8K" };

const of = (kind: NotificationKind, more = {}) => problemNotification({ id: `id-${kind}`, kind, ...more });

contactContract("incident", (behaviour) =>
  openHttpContact(behaviour, ({ url }) => ({
    plan: { ...commonContactFields, type: "incident", alertSourceConfigId: canarySecret },
    settings: { incidentToken: hideSecret(canarySecret), incidentUrl: url },
  })),
);

test("[DL10] an incident alert fires and is resolved under one key", async () => {
  await using service = await openHttpReceiver((response) => response.writeHead(202).end('{"status":"success"}'));
  await using open = openTestContactDependencies({
    settings: { incidentToken: hideSecret("c4nary-incident-token"), incidentUrl: service.url },
  });
  const sent = notificationKinds.map((kind) => of(kind, { author: "bob", comment: "on it" }));
  for (const one of sent) assert.deepEqual(await open.send(incident, [one]), { kind: "delivered" });
  for (const { path, headers, body } of service.received) {
    assert.equal(path, "/v2/alert_events/http/01C4NARY5Z3T8K");
    assert.equal(headers.authorization, "Bearer c4nary-incident-token");
    const fields = ["deduplication_key", "description", "metadata", "source_url", "status", "title"];
    assert.deepEqual(Object.keys(body).toSorted(), fields);
    assert.ok(body.status === "firing" || body.status === "resolved");
    assert.ok(body.title !== "" && body.deduplication_key !== "");
  }
  const events = new Map(service.received.map(({ body }) => [body.metadata.kind, body]));
  const keyOf = (kind: NotificationKind) => events.get(kind).deduplication_key;
  assert.equal(events.get("RECOVERY").status, "resolved");
  assert.equal(keyOf("RECOVERY"), keyOf("PROBLEM"));
  assert.equal(keyOf("ACKNOWLEDGEMENT"), keyOf("PROBLEM"));
  assert.equal(events.get("ACKNOWLEDGEMENT").metadata.acknowledged_by, "bob");
  assert.equal(events.get("DOWNTIME_START").status, "resolved");
  assert.notEqual(keyOf("DOWNTIME_START"), keyOf("PROBLEM"));
});
