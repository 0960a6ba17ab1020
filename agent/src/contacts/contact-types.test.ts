import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { ContactPlan } from "@realmwatch/shared/config/plan";
import { commonContactFields, openTestContactDependencies } from "./contact-dependencies.fixture.ts";
import { contactTypes } from "./contact-types.ts";
import { problemNotification } from "./notification.fixture.ts";

for (const type of Object.keys(contactTypes))
  test(`${type}: its test calls the contract of contact types`, () => {
    const file = new URL(`types/${type.replaceAll("_", "-")}.test.ts`, import.meta.url);
    assert.match(readFileSync(file, "utf8"), new RegExp(`^contactContract\\("${type}"`, "m"));
  });

test("[DL17] a missing flag is named", async () => {
  await using open = openTestContactDependencies();
  const cases: [ContactPlan, string][] = [
    [
      { ...commonContactFields, type: "messenger", chatId: "-100777888999", groupWaitMs: 0 },
      "the message cannot be sent: -messenger-token is not set",
    ],
    [
      { ...commonContactFields, type: "incident", alertSourceConfigId: "01C4NARY5Z3T8K" },
      "the alert cannot be sent: -incident-token is not set",
    ],
    [
      { ...commonContactFields, type: "email", address: "ann@example.org", groupWaitMs: 0 },
      "mail cannot be sent: -smtp-url is not set",
    ],
  ];
  for (const [contact, detail] of cases)
    assert.deepEqual(await open.send(contact, [problemNotification()]), { kind: "rejected", reason: "setup", detail });
});
