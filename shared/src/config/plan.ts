import type { TimeperiodPlan } from "../calendar/timeperiod.ts";
import type { Catalog, ContactView, PanelView, SavedView, SinkView, SloView } from "../model/catalog.ts";
import type { NotificationKind } from "../model/notification.ts";
import type { HostKey, ProcessKey, ServiceKey } from "../model/object-key.ts";
import type { ProblemStatus, Status } from "../model/status.ts";
import type { ObjectMetadata } from "../row/row.ts";
import type { CommandTemplate } from "../text/command/prepare-command.ts";
import type { CheckSpec } from "./check-kinds/check-kinds.ts";
import type { FlapPlan, SchedulePlan } from "./check-spec.ts";
import type { ContactKindPlan } from "./contact-kinds/contact-kinds.ts";
import type { DatasourceType } from "./datasource-kinds/datasource-kinds.ts";
import type { NamePattern } from "./name-pattern.ts";
import type { ReceiverType } from "./receiver-kinds.ts";
import type { programVariants } from "./schema/program.ts";
import type { SinkKindPlan } from "./sink-kinds/sink-kinds.ts";

type Vars = Readonly<Record<string, string>>;

type Common = {
  /** Reference of the object: `refOf(key)`. */
  readonly ref: string;
  readonly about: ObjectMetadata;
  readonly vars: Vars;
  /** Name of the notification policy; empty for no notifications. */
  readonly policy: string;
  readonly flap: FlapPlan;
  /** Hash of the object's definition. Equal definitions have equal digests. */
  readonly digest: string;
};

type Checked = Common & {
  readonly check: CheckSpec;
  readonly schedule: SchedulePlan;
  /** Key of `handlers`; empty for none. */
  readonly handler: string;
  readonly handlerEnabled: boolean;
};

export type HostPlan = Checked & {
  readonly key: HostKey;
  readonly address: string;
  /** References of hosts. */
  readonly parents: readonly string[];
  readonly children: readonly string[];
  /** References of the host's services. */
  readonly services: readonly string[];
};

export type ServicePlan = Checked & {
  readonly key: ServiceKey;
  /** Reference of the host. */
  readonly host: string;
};

/** Compiled rule: its references are resolved, and a `select` is replaced by a list of the matching objects. */
export type RulePlan =
  | { readonly kind: "ref"; readonly ref: string }
  | { readonly kind: "worst" | "best" | "degraded"; readonly of: readonly RulePlan[] }
  | {
      readonly kind: "at_least";
      readonly needed: { readonly count: number } | { readonly percent: number };
      readonly of: readonly RulePlan[];
    }
  | { readonly kind: "not"; readonly of: RulePlan };

export type ProcessPlan = Common & {
  readonly key: ProcessKey;
  readonly rule: RulePlan;
  /** References of all objects that the rule reads. */
  readonly inputs: readonly string[];
  readonly states: "hard" | "soft";
  readonly ignoreDowntime: boolean;
  readonly ignoreAcknowledged: boolean;
  readonly description: string;
};

export type ObjectPlan = HostPlan | ServicePlan | ProcessPlan;

export type HandlerPlan = {
  readonly run: Extract<CheckSpec, { type: keyof typeof programVariants }>;
  readonly timeoutMs: number;
};

/** Contact that is notified too when another one takes no notification for `afterMs`. */
export type FallbackPlan = { readonly contact: string; readonly afterMs: number };

type ContactCommon = Pick<ContactView, "name" | "labels" | "notificationPeriod"> & {
  /** Statuses of which problems and changes are sent to the contact. Absent: all. */
  readonly statuses?: readonly ProblemStatus[];
  /** Absent without a fallback. Following fallbacks never leads back to a contact. */
  readonly fallback?: FallbackPlan;
  /** Interval of heartbeats, ms; absent when there are none. */
  readonly heartbeatMs?: number;
};
/** Contact of a kind of `contactKinds`; `type` is the name of the kind. */
export type ContactPlan = ContactCommon & ContactKindPlan;

export type LevelPlan = {
  readonly contacts: readonly string[];
  readonly threshold: number;
  readonly renotifyIntervalMs: number;
  readonly disabledKinds: readonly NotificationKind[];
  /** Statuses of which problems and changes are sent. */
  readonly statuses: readonly ProblemStatus[];
  readonly period: string;
};
export type PolicyPlan = { readonly period: string; readonly levels: readonly LevelPlan[] };

export type RecurringDowntimePlan = {
  readonly name: string;
  /** References of the matching objects. */
  readonly refs: readonly string[];
  readonly scope: "host" | "service";
  readonly period: string;
  readonly comment: string;
};

export type DependencyPlan = {
  readonly name: string;
  readonly dependents: readonly string[];
  readonly on: RulePlan;
  readonly onRefs: readonly string[];
  readonly failsOn: readonly Status[];
  readonly suppress: "all" | "problems";
  readonly states: "hard" | "soft";
  readonly inherits: boolean;
  readonly period: string;
};

type SinkCommon = Pick<SinkView, "name" | "input" | "selector"> & {
  readonly batchSize: number;
  readonly flushIntervalMs: number;
};
type StringMap = Readonly<Record<string, string>>;
/** Sink of a type of `sinkKinds`. */
export type SinkPlan = SinkCommon & SinkKindPlan;

export type SloPlan = SloView & {
  readonly excludeDowntimes: boolean;
  readonly downStatuses: readonly Status[];
  /** Notification policy for a fast use of the error budget; empty for none. */
  readonly notification: string;
};

export type ViewPlan = Omit<SavedView, "author">;

export type DatasourcePlan = {
  readonly name: string;
  readonly type: DatasourceType;
  readonly url: string;
  readonly headers: StringMap;
  readonly table: string;
  readonly default: boolean;
};

export type PanelPlan = PanelView & {
  readonly datasource: string;
  readonly query: string;
};

/** Receiver of alerts, and how they give objects and statuses. */
export type ReceiverPlan = {
  readonly name: string;
  readonly type: ReceiverType;
  readonly host: NamePattern;
  /** Empty: the alerts are about the host itself. */
  readonly service: NamePattern;
  /** Label with the severity, and the values that make an alert critical or a warning. */
  readonly severity: {
    readonly label: string;
    readonly critical: readonly string[];
    readonly warning: readonly string[];
  };
  /** SHA-256 of the sender's token in lower-case hex; undefined without a token. */
  readonly tokenDigest: string | undefined;
};

/**
 * Compiled configuration: names resolved, durations in ms, expressions validated. Frozen data without functions, so that
 * it can be sent between threads.
 */
export type RealmPlan = {
  /** Hash of the compiled configuration. */
  readonly hash: string;
  /** Objects by reference: hosts, then services, then processes, each in document order. */
  readonly objects: ReadonlyMap<string, ObjectPlan>;
  readonly resources: StringMap;
  readonly commands: Readonly<Record<string, CommandTemplate>>;
  readonly contacts: ReadonlyMap<string, ContactPlan>;
  readonly policies: ReadonlyMap<string, PolicyPlan>;
  readonly timeperiods: ReadonlyMap<string, TimeperiodPlan>;
  readonly recurringDowntimes: readonly RecurringDowntimePlan[];
  readonly dependencies: readonly DependencyPlan[];
  readonly handlers: ReadonlyMap<string, HandlerPlan>;
  readonly eventHandlers: { readonly enabled: boolean; readonly host: string; readonly service: string };
  readonly sinks: readonly SinkPlan[];
  readonly slos: readonly SloPlan[];
  readonly views: readonly ViewPlan[];
  readonly datasources: readonly DatasourcePlan[];
  readonly panels: readonly PanelPlan[];
  readonly receivers: readonly ReceiverPlan[];
  /** Undefined when `ui.availability` is not declared. */
  readonly availabilityRangeMs: number | undefined;
};

/** Part of the catalog that a plan determines. All contacts are enabled here: toggles are state, not configuration. */
export type PlanCatalog = Omit<Catalog, "realm" | "toggles">;

export const isChecked = (plan: ObjectPlan): plan is HostPlan | ServicePlan => plan.key.kind !== "process";
