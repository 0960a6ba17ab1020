import type { ObjectPlan, PolicyPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { NotificationDecision, NotificationKind } from "@realmwatch/shared/model/notification";
import { refOf } from "@realmwatch/shared/model/object-key";
import { isFlapDetectionOn } from "../engine/flapping/flap-detection.ts";
import { notificationDecision } from "../engine/notify/notification-decision.ts";
import { deferredNotificationsOf } from "../engine/notify/notification-state.ts";
import { selectRecipients } from "../engine/notify/recipients.ts";
import { newState, type ObjectState } from "../engine/state/object-state.ts";
import type { ProgramState } from "../realm/state/program-state.ts";
import type { NotificationSummary } from "./notification-summary.ts";
import { type RouteScenario, runRouteScenario, scenarioStartMs } from "./route-scenario.ts";
import { SimulatedRealm } from "./simulated-realm.ts";
import { withoutFreshness } from "./without-freshness.ts";

/** Of one contact: why it is not told. */
export type MissedContact = { readonly contact: string; readonly because: NotificationDecision };

/** One message, to all whom it reaches. `level` counts from 0. */
export type RouteNotification = Pick<NotificationSummary, "atMs" | "kind" | "status" | "level"> & {
  readonly contacts: readonly string[];
  readonly missed: readonly MissedContact[];
};

export type Route = {
  readonly policy: string;
  readonly messages: readonly RouteNotification[];
  /** What was owed and held back as a whole. */
  readonly withheld: readonly {
    readonly atMs: number;
    readonly kind: NotificationKind;
    readonly because: NotificationDecision;
  }[];
  /** The gap at which the last message comes again and again, ms; undefined where none does. */
  readonly everyMs: number | undefined;
  /** Contacts of the policy to whom nothing of this kind goes. */
  readonly never: readonly (MissedContact & { readonly level: number })[];
  /** Nobody watches whether the object flaps. */
  readonly unwatched: boolean;
};

export type RouteOptions = {
  readonly realm: string;
  readonly plan: RealmPlan;
  readonly object: ObjectPlan;
  readonly story: RouteScenario;
  /** What is known of the realm at this time; undefined: all is well, and nothing is switched off. */
  readonly now: CurrentRealm | undefined;
};

/** How a realm is, Unix ms. */
export type CurrentRealm = {
  readonly atMs: number;
  readonly states: ReadonlyMap<string, ObjectState>;
  readonly program: ProgramState;
};

/** So far is looked ahead, ms: 31 days. */
const horizonMs = 31 * 86_400_000;
/** With so many messages a policy has shown what it does. */
const mostMessages = 1_000;
/** What is not made up for where it is held back is told at its time or never. */
const waitingKinds: ReadonlySet<NotificationKind> = new Set<NotificationKind>([
  "PROBLEM",
  "STATUS_CHANGE",
  "RECOVERY",
  "FLAPPING_START",
  "FLAPPING_STOP",
]);

/** [RO1] Who would be told of a made-up story, when, and why not: the engine itself acts it out. */
export function routeOf(order: RouteOptions): Route {
  const { plan, object, story, now } = order;
  const policy = plan.policies.get(object.policy);
  const stage = new Stage(order, policy);
  stage.act(story);
  // Of a realm as it is, what happens until the story begins is part of the answer.
  const isOfStory = ({ kind, atMs }: RouteNotification): boolean => kind === story.kind && atMs >= story.atMs;
  const messages = now === undefined ? stage.messages.filter(isOfStory) : stage.messages;
  const told = new Set(messages.flatMap(({ contacts }) => contacts));
  const record = stage.dry.realm.records.get(object.ref);
  const objectContext = record && stage.dry.realm.objectContextOf(record, stage.dry.nowMs);
  return {
    policy: policy === undefined ? "" : object.policy,
    messages,
    withheld: stage.withheld.filter(({ atMs }) => atMs >= (now?.atMs ?? story.atMs)),
    everyMs: stage.repeats(story.kind) ? policy?.levels[messages.at(-1)?.level ?? 0]?.renotifyIntervalMs : undefined,
    never: policy === undefined ? [] : stage.neverTold(policy, { kind: story.kind, told }),
    unwatched:
      record !== undefined && objectContext !== undefined && !isFlapDetectionOn(object, record.state, objectContext),
  };
}

type Withheld = Route["withheld"][number];

/** The realm in which the story happens. */
class Stage {
  readonly dry: SimulatedRealm;
  readonly messages: RouteNotification[] = [];
  readonly withheld: Withheld[] = [];
  readonly #ref: string;
  readonly #policy: PolicyPlan | undefined;

  constructor({ realm, plan, object, story, now }: RouteOptions, policy: PolicyPlan | undefined) {
    this.#ref = object.ref;
    this.#policy = policy;
    const nowMs = now?.atMs ?? scenarioStartMs(story);
    this.dry = new SimulatedRealm({
      ...{ name: realm, plan: onlyAbout(object.ref, withoutFreshness(plan)), nowMs, program: now?.program },
      states: now?.states ?? allWell(plan, nowMs),
      look: (ref) => this.dry.plan(`look ${ref}`, this.dry.nowMs, () => this.#lookAt(ref)),
      told: (told) => this.#take(told),
      recorded: (entries) => this.#note(entries),
    });
  }

  act(story: RouteScenario): void {
    this.dry.start();
    this.dry.advanceBefore(scenarioStartMs(story));
    runRouteScenario(this.dry, story);
    this.dry.advanceTo(story.atMs);
    if (!waitingKinds.has(story.kind)) return;
    const untilMs = story.atMs + horizonMs;
    while (this.dry.nextAtMs <= untilMs && !this.#hasShown(story)) this.dry.advanceTo(this.dry.nextAtMs);
  }

  /** A check before its turn finds the object as it was. */
  #lookAt(ref: string): void {
    const last = this.dry.realm.records.get(ref)?.state.last;
    if (last === undefined || last.rawStatus === "pending" || ref === this.#ref) return;
    const { longOutput, perfdata, output, latencyMs, executionMs, source, rawStatus: status } = last;
    const result = { status, output, longOutput, perfdata, latencyMs, executionMs, source };
    this.dry.step(ref, { kind: "result", result: { ...result, executedAtMs: this.dry.nowMs, origin: "active" } });
  }

  #take({ ref, atMs, kind, status, level, contact }: NotificationSummary): void {
    if (ref !== this.#ref) return;
    const last = this.messages.at(-1);
    const isSame = last?.atMs === atMs && last.kind === kind && last.level === level;
    const contacts = isSame ? [...last.contacts, contact] : [contact];
    const wanted = kind === "RECOVERY" ? [] : (this.#policy?.levels[level]?.contacts ?? []);
    const missed = wanted.filter((name) => !contacts.includes(name)).flatMap((name) => this.#whyMissed(name));
    if (isSame) this.messages.pop();
    this.messages.push({ atMs, kind, status, level, contacts, missed });
  }

  /** Why a message that goes out now does not go to this contact. */
  #whyMissed(contact: string): readonly MissedContact[] {
    const record = this.dry.realm.records.get(this.#ref);
    if (record === undefined) return [];
    const { nowMs } = this.dry;
    const objectContext = this.dry.realm.objectContextOf(record, nowMs);
    const why = selectRecipients([contact], { plan: record.plan, objectContext, nowMs }).decision;
    return why === undefined ? [] : [{ contact, because: why }];
  }

  #note(entries: readonly HistoryEntry[]): void {
    for (const { type, key, atMs, notificationKind: kind, because: why } of entries) {
      if (type !== "notification_suppressed" || key === undefined || refOf(key) !== this.#ref) continue;
      // The look at the host comes at once here: it is no answer to anybody's question.
      if (kind !== undefined && why !== undefined && why.reason !== "host_check_awaited")
        this.withheld.push({ atMs, kind, because: why });
    }
  }

  /** Told twice by a level that nothing follows, a problem has no more to show. */
  #hasShown({ kind, atMs }: RouteScenario): boolean {
    if (this.messages.length >= mostMessages) return true;
    const state = this.dry.realm.records.get(this.#ref)?.state.notificationState;
    if (state !== undefined && deferredNotificationsOf(state).length > 0) return false;
    if (kind !== "PROBLEM") return this.messages.some((message) => message.kind === kind && message.atMs >= atMs);
    return this.repeats("PROBLEM");
  }

  repeats(kind: NotificationKind): boolean {
    const last = this.messages.at(-1);
    if (kind !== "PROBLEM" || last?.kind !== kind) return false;
    const isLast = last.level + 1 >= (this.#policy?.levels.length ?? 0);
    const stays = isLast || this.#policy?.levels[last.level]?.threshold === 0;
    return stays && this.messages.filter((message) => message.kind === kind && message.level === last.level).length > 1;
  }

  /** Each contact of the policy that no message went to, with the first reason that holds. */
  neverTold({ levels }: PolicyPlan, { kind, told }: { kind: NotificationKind; told: ReadonlySet<string> }) {
    const missed = new Map<string, MissedContact & { readonly level: number }>();
    for (const [level, { contacts, disabledKinds }] of levels.entries())
      for (const contact of contacts) {
        if (told.has(contact) || missed.has(contact)) continue;
        const [why] = this.#whyMissed(contact);
        const reason = disabledKinds.includes(kind) ? notificationDecision("kind_disabled") : why?.because;
        missed.set(contact, { contact, level, because: reason ?? notificationDecision("not_due") });
      }
    return [...missed.values()];
  }
}

/** Nobody is told of any other object: acting that out for a month would take long, and tell nothing. */
function onlyAbout(ref: string, plan: RealmPlan): RealmPlan {
  const others = [...plan.objects].map(
    ([name, object]) => [name, name === ref ? object : { ...object, policy: "" }] as const,
  );
  return { ...plan, objects: new Map(others) };
}

/** Every object was looked at and is well. */
function allWell({ objects }: RealmPlan, atMs: number): ReadonlyMap<string, ObjectState> {
  const measured = { output: "", longOutput: "", perfdata: [], latencyMs: undefined, executionMs: 0, source: "" };
  const last = { ...measured, executedAtMs: atMs, realAtMs: atMs, rawStatus: "ok" } as const;
  const state: ObjectState = { ...newState(atMs), phase: { kind: "ok" }, lastHardStatus: "ok", last };
  return new Map([...objects.keys()].map((ref) => [ref, state]));
}
