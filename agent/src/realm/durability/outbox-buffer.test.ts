import assert from "node:assert/strict";
import { test } from "node:test";
import type { Notification } from "@realmwatch/shared/model/notification";
import { OutboxBuffer } from "./outbox-buffer.ts";

const notification = (id: string, more: object = {}) => ({ id, ...more }) as Notification;

test("[DL1] a notification that ends before it was written is not written at all", () => {
  const outbox = new OutboxBuffer();
  outbox.add([notification("a")], []);
  outbox.add([], ["a", "b"]);
  assert.deepEqual(outbox.take(), { notifications: [], delivered: ["b"] });
});

test("[DL22] one that was written again for its fallback is removed from the journal when it ends", () => {
  const outbox = new OutboxBuffer();
  outbox.add([notification("a", { fallbackUsed: true })], []);
  outbox.add([], ["a"]);
  assert.deepEqual(outbox.take(), { notifications: [], delivered: ["a"] });
});
