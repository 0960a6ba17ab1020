import type { LevelPlan, ObjectPlan, PolicyPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { NotificationDecision, NotificationKind, NotificationReason } from "@realmwatch/shared/model/notification";
import { refOf } from "@realmwatch/shared/model/object-key";
import { isProblem } from "@realmwatch/shared/model/status";
import { isFlapDetectionOn } from "../engine/flapping/flap-detection.ts";
import { contactsOfStatus, selectRecipients } from "../engine/notify/filters.ts";
import { deferredNotificationsOf, notificationDecision } from "../engine/notify/notification-state.ts";
import { newState, type ObjectState, statusOf } from "../engine/state/object-state.ts";
import type { ProgramState } from "../realm/state/program-state.ts";
import type { NotificationSummary } from "./recording.ts";
import { type RouteScenario, runRouteScenario, scenarioStartMs } from "./route-scenario.ts";
import { SimulatedRealm, withoutFreshness } from "./simulated-realm.ts";

/** A contact that is not notified, with the decision. */
type MissedContact = { readonly contact: string; readonly decision: NotificationDecision };

/** One notification to all contacts that it reaches. `level`: index, from 0. */
export type RouteNotification = Pick<NotificationSummary, "atMs" | "kind" | "status" | "level"> & {
  readonly contacts: readonly string[];
  readonly missed: readonly MissedContact[];
};

export type Route = {
  readonly policy: string;
  readonly notifications: readonly RouteNotification[];
  /** Due notifications that were suppressed for all contacts. */
  readonly suppressed: readonly {
    readonly atMs: number;
    readonly kind: NotificationKind;
    readonly decision: NotificationDecision;
  }[];
  /** Interval at which the last notification repeats, ms; undefined when it does not. */
  readonly everyMs: number | undefined;
  /** Contacts of the policy that get no notification of this kind. */
  readonly never: readonly (MissedContact & { readonly level: number })[];
  /** True when flap detection of the object is off. */
  readonly unwatched: boolean;
};

type RouteOptions = {
  readonly realm: string;
  readonly plan: RealmPlan;
  readonly object: ObjectPlan;
  readonly scenario: RouteScenario;
  /** Current state of the realm; undefined for a realm in which every object is ok and every toggle on. */
  readonly now: CurrentRealm | undefined;
};

/** State of a realm at `atMs`, Unix ms. */
export type CurrentRealm = {
  readonly atMs: number;
  readonly states: ReadonlyMap<string, ObjectState>;
  readonly program: ProgramState;
};

/** Time that is simulated after the event, ms: 31 days. */
const horizonMs = 31 * 86_400_000;
/** Maximum number of notifications after which the simulation stops. */
const maxNotifications = 1_000;
/** Kinds that are sent later when they are suppressed; all others are sent at once or dropped. */
const deferrableKinds: ReadonlySet<NotificationKind> = new Set<NotificationKind>([
  "PROBLEM",
  "STATUS_CHANGE",
  "RECOVERY",
  "FLAPPING_START",
  "FLAPPING_STOP",
]);

/** [RO1] Notifications of a hypothetical event, simulated with the engine: contacts, times, and decisions. */
export function routeOf(options: RouteOptions): Route {
  const { plan, object, scenario, now } = options;
  const policy = plan.policies.get(object.policy);
  const simulation = new RouteSimulation(options, policy);
  simulation.run(scenario);
  // With the realm's current state, notifications before the event belong to the route.
  const isOfScenario = ({ kind, atMs }: RouteNotification): boolean => kind === scenario.kind && atMs >= scenario.atMs;
  const notifications = now === undefined ? simulation.notifications.filter(isOfScenario) : simulation.notifications;
  const notified = new Set(notifications.flatMap(({ contacts }) => contacts));
  const record = simulation.simulated.realm.records.get(object.ref);
  const objectContext = record && simulation.simulated.realm.objectContextOf(record, simulation.simulated.nowMs);
  return {
    policy: policy === undefined ? "" : object.policy,
    notifications,
    suppressed: simulation.suppressed.filter(({ atMs }) => atMs >= (now?.atMs ?? scenario.atMs)),
    everyMs: simulation.repeats(scenario.kind)
      ? policy?.levels[notifications.at(-1)?.level ?? 0]?.renotifyIntervalMs
      : undefined,
    never: policy === undefined ? [] : simulation.neverNotified(policy, { kind: scenario.kind, notified }),
    unwatched:
      record !== undefined && objectContext !== undefined && !isFlapDetectionOn(object, record.state, objectContext),
  };
}

type SuppressedNotification = Route["suppressed"][number];

/** Runs a scenario in a simulated realm and collects its notifications. */
class RouteSimulation {
  readonly simulated: SimulatedRealm;
  readonly notifications: RouteNotification[] = [];
  readonly suppressed: SuppressedNotification[] = [];
  readonly #ref: string;
  readonly #policy: PolicyPlan | undefined;

  constructor({ realm, plan, object, scenario, now }: RouteOptions, policy: PolicyPlan | undefined) {
    this.#ref = object.ref;
    this.#policy = policy;
    const nowMs = now?.atMs ?? scenarioStartMs(scenario);
    this.simulated = new SimulatedRealm({
      ...{ name: realm, plan: notifyOnly(object.ref, withoutFreshness(plan)), nowMs, program: now?.program },
      states: now?.states ?? allOk(plan, nowMs),
      checkSoon: (ref) => this.simulated.schedule(`on-demand ${ref}`, this.simulated.nowMs, () => this.#checkSoon(ref)),
      notified: (notification) => this.#take(notification),
      recorded: (entries) => this.#note(entries),
    });
  }

  run(scenario: RouteScenario): void {
    this.simulated.start();
    this.simulated.advanceBefore(scenarioStartMs(scenario));
    runRouteScenario(this.simulated, scenario);
    this.simulated.advanceTo(scenario.atMs);
    if (!deferrableKinds.has(scenario.kind)) return;
    const untilMs = scenario.atMs + horizonMs;
    while (this.simulated.nextAtMs <= untilMs && !this.#isComplete(scenario))
      this.simulated.advanceTo(this.simulated.nextAtMs);
  }

  /** Runs an on-demand check of another object, which finds no change. */
  #checkSoon(ref: string): void {
    const last = this.simulated.realm.records.get(ref)?.state.last;
    if (last === undefined || last.rawStatus === "pending" || ref === this.#ref) return;
    const { longOutput, perfdata, output, latencyMs, executionMs, source, rawStatus: status } = last;
    const result = { status, output, longOutput, perfdata, latencyMs, executionMs, source };
    this.simulated.step(ref, {
      kind: "result",
      result: { ...result, executedAtMs: this.simulated.nowMs, origin: "active" },
    });
  }

  #take({ ref, atMs, kind, status, level, contact }: NotificationSummary): void {
    if (ref !== this.#ref) return;
    const last = this.notifications.at(-1);
    const isSame = last?.atMs === atMs && last.kind === kind && last.level === level;
    const contacts = isSame ? [...last.contacts, contact] : [contact];
    const wanted = kind === "RECOVERY" ? [] : (this.#policy?.levels[level]?.contacts ?? []);
    const missed = wanted.filter((name) => !contacts.includes(name)).flatMap((name) => this.#missedContact(name));
    if (isSame) this.notifications.pop();
    this.notifications.push({ atMs, kind, status, level, contacts, missed });
  }

  /** Decision on a contact that a notification of now does not reach. */
  #missedContact(contact: string): readonly MissedContact[] {
    const record = this.simulated.realm.records.get(this.#ref);
    if (record === undefined) return [];
    const { nowMs } = this.simulated;
    const objectContext = this.simulated.realm.objectContextOf(record, nowMs);
    const { decision } = selectRecipients([contact], { plan: record.plan, objectContext, nowMs });
    return decision === undefined ? [] : [{ contact, decision }];
  }

  #note(entries: readonly HistoryEntry[]): void {
    for (const { type, key, atMs, notificationKind: kind, because: decision } of entries) {
      if (type !== "notification_suppressed" || key === undefined || refOf(key) !== this.#ref) continue;
      // In the simulation the host check runs at once, so a decision to wait for it is not worth listing.
      if (kind !== undefined && decision !== undefined && decision.reason !== "host_check_awaited")
        this.suppressed.push({ atMs, kind, decision });
    }
  }

  /** True when further time would only repeat what is known: the last level has notified twice. */
  #isComplete({ kind, atMs }: RouteScenario): boolean {
    if (this.notifications.length >= maxNotifications) return true;
    const state = this.simulated.realm.records.get(this.#ref)?.state.notificationState;
    if (state !== undefined && deferredNotificationsOf(state).length > 0) return false;
    if (kind !== "PROBLEM")
      return this.notifications.some((notification) => notification.kind === kind && notification.atMs >= atMs);
    return this.repeats("PROBLEM");
  }

  repeats(kind: NotificationKind): boolean {
    const last = this.notifications.at(-1);
    if (kind !== "PROBLEM" || last?.kind !== kind) return false;
    const isLast = last.level + 1 >= (this.#policy?.levels.length ?? 0);
    const stays = isLast || this.#policy?.levels[last.level]?.threshold === 0;
    return (
      stays &&
      this.notifications.filter((notification) => notification.kind === kind && notification.level === last.level)
        .length > 1
    );
  }

  /** Reason why a level sends a contact nothing of a kind about the present status; undefined when it does. */
  #unsentReason(level: LevelPlan, kind: NotificationKind, contact: string): NotificationReason | undefined {
    if (level.disabledKinds.includes(kind)) return "kind_disabled";
    const record = this.simulated.realm.records.get(this.#ref);
    const status = record && statusOf(record.state.phase);
    if (kind !== "PROBLEM" || record === undefined || status === undefined || !isProblem(status)) return undefined;
    const { routing } = this.simulated.realm.objectContextOf(record, this.simulated.nowMs);
    const contacts = contactsOfStatus(level, status, { key: record.plan.key, routing });
    return contacts.includes(contact) ? undefined : "status_not_selected";
  }

  /** Contacts of the policy that were not notified, each with the first decision that applies. */
  neverNotified({ levels }: PolicyPlan, { kind, notified }: { kind: NotificationKind; notified: ReadonlySet<string> }) {
    const missed = new Map<string, MissedContact & { readonly level: number }>();
    for (const [level, plan] of levels.entries())
      for (const contact of plan.contacts) {
        if (notified.has(contact) || missed.has(contact)) continue;
        const [missing] = this.#missedContact(contact);
        const unsent = this.#unsentReason(plan, kind, contact);
        const decision = unsent === undefined ? missing?.decision : notificationDecision(unsent);
        missed.set(contact, { contact, level, decision: decision ?? notificationDecision("not_due") });
      }
    return [...missed.values()];
  }
}

/** Removes the policies of all other objects, so that the simulation does not spend time on their notifications. */
function notifyOnly(ref: string, plan: RealmPlan): RealmPlan {
  const others = [...plan.objects].map(
    ([name, object]) => [name, name === ref ? object : { ...object, policy: "" }] as const,
  );
  return { ...plan, objects: new Map(others) };
}

/** States in which every object was checked and is ok. */
function allOk({ objects }: RealmPlan, atMs: number): ReadonlyMap<string, ObjectState> {
  const measured = { output: "", longOutput: "", perfdata: [], latencyMs: undefined, executionMs: 0, source: "" };
  const last = { ...measured, executedAtMs: atMs, realAtMs: atMs, rawStatus: "ok" } as const;
  const state: ObjectState = { ...newState(atMs), phase: { kind: "ok" }, lastHardStatus: "ok", last };
  return new Map([...objects.keys()].map((ref) => [ref, state]));
}
