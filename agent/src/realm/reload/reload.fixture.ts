import assert from "node:assert/strict";
import type { ObjectPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { Row } from "@realmwatch/shared/row/row";
import { realmPlan } from "../fixtures/realm-plan.fixture.ts";
import { host, notifiesAnn, openTestRealm, policyAll } from "../fixtures/test-realm.fixture.ts";

/** Realm whose configuration a test changes. */
export type ReloadedRealm = Awaited<ReturnType<typeof openTestRealm>>;

/** Milliseconds of a minute. */
export const minuteMs = 60_000;

/** Passive check whose result is stale after ten minutes. */
export const passiveCheck = {
  check: { type: "passive", freshnessThresholdMs: 10 * minuteMs, staleStatus: "unknown" },
} as const;

/** Schedule with a check every ten minutes, and every five until the given number of attempts. */
export const patientSchedule = (attempts: number) => ({
  schedule: {
    ...{ checkIntervalMs: 10 * minuteMs, retryIntervalMs: 5 * minuteMs, timeoutMs: 10_000, checkPeriod: "" },
    maxAttempts: attempts,
  },
});

const contact = (name: string) =>
  [name, { name, type: "email", labels: {}, notificationPeriod: "", address: "x", groupWaitMs: 0 }] as const;

/** Contacts ann and bea, and a policy that notifies both. */
export const bothContacts: Partial<RealmPlan> = {
  contacts: new Map([contact("ann"), contact("bea")]),
  policies: policyAll("ann bea"),
};

let plans = 0;
/** A plan with digests, by which objects of two plans are compared. */
export function planOf(objects: readonly ObjectPlan[], more: Partial<RealmPlan> = notifiesAnn): RealmPlan {
  plans += 1;
  const named = objects.map((object) => ({ ...object, digest: JSON.stringify(object) }));
  return realmPlan(named, { ...more, hash: String(plans) });
}

/** Host with a passive check, the subject of most changes. */
export const webHost = host("web", passiveCheck);

/** Second host, which is there before and after most changes. */
export const dbHost = host("db", passiveCheck);

/** Change of a configuration, with the notifications and history entries that it causes. */
export type ReloadCase = {
  readonly name: string;
  readonly before: RealmPlan;
  readonly after: RealmPlan;
  act(it: ReloadedRealm): Promise<void>;
  /** Continues with the new configuration. */
  later?(it: ReloadedRealm): Promise<void>;
  /** Notifications from the change on, as `contact KIND ref`. */
  readonly notified: readonly string[];
  /** History entries from the change on, without that of the configuration itself. */
  readonly history: readonly string[];
};

/** Sends a problem of `webHost`. */
export const sendDown = async (it: ReloadedRealm): Promise<void> => {
  await it.send("web", "ok");
  await it.send("web", "critical");
};

/** Sends an OK result of `webHost`. */
export const sendUp = (it: ReloadedRealm): Promise<void> => it.send("web", "ok");

const formatEntry = ({ type, key, contact = "", ...more }: HistoryEntry): string => {
  const { notificationKind = "", status = "", stateType = "", attempt = "", because, downtimeId, commentId } = more;
  const name = key === undefined ? "" : refOf(key);
  const what = type === "state" ? [status, stateType, attempt] : [notificationKind, contact];
  const why = type === "notification_suppressed" ? [because?.reason, because?.name] : [];
  const id = type.startsWith("downtime_") ? downtimeId : type.startsWith("comment_") ? commentId : "";
  return [type, name, ...what, ...why, id].filter((word) => word !== "" && word !== undefined).join(" ");
};

/** Runs a realm with the first configuration, changes it to the second one, and returns the effects. */
async function change({ before, after, act, later }: ReloadCase, how: "reload" | "restart") {
  const first = await openTestRealm(before);
  first.start();
  await first.settle();
  await act(first);
  const atChange =
    how === "reload" ? { notifications: first.notifications.length, history: first.history.length } : undefined;
  first.checks.length = 0;
  const it = how === "reload" ? first : await restart(first, after);
  if (how === "reload") {
    const swapped = first.swap(after);
    await first.settle();
    await swapped;
  }
  await it.settle();
  await later?.(it);
  const changes = [...it.allRows()].flatMap((notified) => (notified.kind === "put" ? [notified.row] : []));
  const left = [...it.states.keys()].filter((ref) => !after.objects.has(ref));
  const effects = {
    notifications: it.notifications.slice(atChange?.notifications),
    // A start has less information about the previous configuration than a reload.
    history: it.history.slice(atChange?.history).filter(({ type }) => type !== "config"),
    rows: changes.map((one) => ({ ...one, revision: 0 })).sort(byRef),
    left,
  };
  // As serialized, without undefined fields.
  return JSON.parse(JSON.stringify(effects)) as typeof effects;
}

const byRef = (one: Row, other: Row): number => (refOf(one.about.key) < refOf(other.about.key) ? -1 : 1);

async function restart(first: ReloadedRealm, after: RealmPlan): Promise<ReloadedRealm> {
  await first.stop(0);
  const it = await openTestRealm(after, first.stored(), first.clock.now());
  it.start();
  return it;
}

/** Asserts that a reload and a restart have the effects of a case, and the same ones. */
export async function assertSameByReloadAndRestart(row: ReloadCase): Promise<void> {
  const reloaded = await change(row, "reload");
  assert.deepEqual(
    reloaded.notifications.map(({ contact: name, kind, key }) => `${name} ${kind} ${refOf(key)}`),
    row.notified,
  );
  assert.deepEqual(reloaded.history.map(formatEntry), row.history);
  assert.deepEqual(reloaded.left, []);
  assert.deepEqual(await change(row, "restart"), reloaded);
}
