import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContactPlan } from "@realmwatch/shared/config/plan";
import { notificationKinds } from "@realmwatch/shared/model/notification";
import type { CommandTemplate } from "@realmwatch/shared/text/command/prepare-command";
import { openTestContactDependencies } from "./contact-dependencies.fixture.ts";
import type { ContactPlanOf } from "./contact-type.ts";
import { contactTypes } from "./contact-types.ts";
import type { DeliverySettings } from "./delivery-settings.ts";
import { type HttpReceiver, openHttpReceiver } from "./http/http-receiver.fixture.ts";
import { problemNotification, recoveryNotification } from "./notification.fixture.ts";

/** Behaviour of the receiver of a contact: accepts every request, responds with an error, or never responds. */
export type ReceiverBehaviour = "accepts" | "fails" | "hangs";

/** Contact that reaches a receiver, with the settings that it needs. */
type ContactUnderTest<T extends ContactPlan["type"]> = AsyncDisposable & {
  readonly plan: ContactPlanOf<T>;
  readonly settings?: Partial<DeliverySettings>;
  readonly commands?: Readonly<Record<string, CommandTemplate>>;
  readonly resources?: Readonly<Record<string, string>>;
};

/** Text that `open` must use as every secret of the contact and its settings. */
export const canarySecret = "c4naryc4narysecret";

/**
 * Declares the tests that every contact type has to pass.
 *
 * @param open opens a receiver with the given behaviour, and a contact of the type that reaches it
 */
export function contactContract<T extends ContactPlan["type"]>(
  type: T,
  open: (behaviour: ReceiverBehaviour) => Promise<ContactUnderTest<T>>,
): void {
  test(`${type}: is registered under its name, with a deadline of at most one minute`, () => {
    assert.equal(contactTypes[type].type, type);
    const { deadlineMs } = contactTypes[type];
    assert.ok(deadlineMs > 0 && deadlineMs <= 60_000, `${deadlineMs} ms`);
  });

  test(`${type}: delivers a notification of every kind, and a digest`, async () => {
    await using contact = await open("accepts");
    await using attempts = openTestContactDependencies(contact);
    for (const kind of notificationKinds) {
      const sent = problemNotification({ id: `id-${kind}`, kind, author: "bob", comment: "on it" });
      assert.deepEqual(await attempts.send(contact.plan, [sent]), { kind: "delivered" }, kind);
    }
    const digest = [problemNotification(), recoveryNotification({ key: { kind: "host", name: "db1" } })];
    assert.deepEqual(await attempts.send(contact.plan, digest), { kind: "delivered" });
  });

  test(`${type}: delivers control characters and long texts`, async () => {
    await using contact = await open("accepts");
    await using attempts = openTestContactDependencies(contact);
    const hostile = "\u0000\r\n.\r\n\u001b[31m\ud800<script>&\u202e".repeat(2_000);
    const sent = problemNotification({ output: hostile, longOutput: hostile, comment: hostile, author: hostile });
    assert.deepEqual(await attempts.send(contact.plan, [sent]), { kind: "delivered" });
  });

  test(`${type}: reports a failing receiver, without secrets`, async () => {
    await using contact = await open("fails");
    await using attempts = openTestContactDependencies(contact);
    const result = await attempts.send(contact.plan, [problemNotification()]);
    assert.ok(result.kind !== "delivered" && result.detail !== "", JSON.stringify(result));
    assert.doesNotMatch(JSON.stringify(result), new RegExp(canarySecret, "i"));
  });

  test(`${type}: settles with a retry soon after an abort`, async () => {
    await using contact = await open("hangs");
    await using attempts = openTestContactDependencies(contact);
    const startedMs = performance.now();
    const result = await attempts.send(contact.plan, [problemNotification()], 300);
    assert.ok(result.kind === "retry" && result.reason === "timeout", JSON.stringify(result));
    assert.ok(performance.now() - startedMs < 5_000);
  });
}

/** Opens an HTTP receiver with the given behaviour, and the contact and settings that `make` returns for it. */
export async function openHttpContact<T extends ContactPlan["type"]>(
  behaviour: ReceiverBehaviour,
  make: (receiver: HttpReceiver) => Omit<ContactUnderTest<T>, typeof Symbol.asyncDispose>,
): Promise<ContactUnderTest<T>> {
  const receiver = await openHttpReceiver((response, { path, body }) => {
    if (behaviour === "accepts") response.writeHead(202).end("{}");
    // Echoes the request, so that a secret in it would appear in the detail of the failure.
    if (behaviour === "fails")
      response.writeHead(400).end(JSON.stringify({ message: `${path} ${JSON.stringify(body)}` }));
  });
  return { ...make(receiver), [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() };
}
