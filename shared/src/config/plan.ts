import type { Catalog } from "../model/catalog.ts";
import type { NotificationKind } from "../model/notification.ts";
import type { HostKey, ProcessKey, ServiceKey } from "../model/object-key.ts";
import type { Labels, ObjectMetadata } from "../model/row.ts";
import type { Status } from "../model/status.ts";
import type { CheckSpec } from "./check-kinds/check-kinds.ts";
import type { CommandSpec } from "./check-kinds/command.ts";
import type { LegacySpec } from "./check-kinds/legacy.ts";
import type { WasmSpec } from "./check-kinds/wasm.ts";
import type { FlapPlan, SchedulePlan } from "./check-spec.ts";
import type { ContactKindPlan } from "./contact-kinds/contact-kinds.ts";
import type { DatasourceType } from "./datasource-kinds.ts";
import type { SinkKindPlan } from "./sink-kinds/sink-kinds.ts";

type Vars = Readonly<Record<string, string>>;

type Common = {
  /** `refOf(key)`; the key of every map of objects. */
  readonly ref: string;
  readonly about: ObjectMetadata;
  readonly vars: Vars;
  /** Name of the notification policy; empty means that nobody is ever notified. */
  readonly policy: string;
  readonly flap: FlapPlan;
  /** Hash of the definition: equal exactly where nothing of the object changed. */
  readonly digest: string;
};

type Checked = Common & {
  readonly check: CheckSpec;
  readonly schedule: SchedulePlan;
  /** Key of `handlers`; empty means none. */
  readonly handler: string;
  readonly handlerEnabled: boolean;
};

export type HostPlan = Checked & {
  readonly key: HostKey;
  readonly address: string;
  /** References of the parents, the children and the services. */
  readonly parents: readonly string[];
  readonly children: readonly string[];
  readonly services: readonly string[];
};

export type ServicePlan = Checked & { readonly key: ServiceKey /** Reference of the host. */; readonly host: string };

/** A rule with its references resolved; a `select` has become the list of what it matches. */
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
  /** References of everything the rule reads. */
  readonly inputs: readonly string[];
  readonly states: "hard" | "soft";
  readonly ignoreDowntime: boolean;
  readonly ignoreAcknowledged: boolean;
  readonly description: string;
};

export type ObjectPlan = HostPlan | ServicePlan | ProcessPlan;

export type CommandTemplate = { readonly line: string; readonly shell: boolean };

export type HandlerPlan = {
  readonly run: Extract<CheckSpec, { type: keyof typeof programVariants }>;
  readonly timeoutMs: number;
};

type ContactCommon = { readonly name: string; readonly labels: Labels; readonly notificationPeriod: string };
/** Contact of a kind of `contactKinds`; `type` is the name of the kind. */
export type ContactPlan = ContactCommon & ContactKindPlan;

export type LevelPlan = {
  readonly contacts: readonly string[];
  readonly threshold: number;
  readonly renotifyIntervalMs: number;
  readonly disabledKinds: readonly NotificationKind[];
  readonly period: string;
};
export type PolicyPlan = { readonly period: string; readonly levels: readonly LevelPlan[] };

/** As written; `calendar` parses the expressions. `timezone` is an IANA name, the default filled in. */
export type TimeperiodPlan = {
  readonly timezone: string;
  readonly ranges: Readonly<Record<string, string>>;
  readonly exclude: readonly string[];
};

export type RecurringDowntimePlan = {
  readonly name: string;
  /** References of what the selector matches. */
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

type SinkCommon = {
  readonly name: string;
  readonly input: "metrics" | "events";
  /** A selector's text, already checked; empty means everything. */
  readonly selector: string;
  readonly batchSize: number;
  readonly flushIntervalMs: number;
};
type StringMap = Readonly<Record<string, string>>;
/** Sink of a type of `sinkKinds`. */
export type SinkPlan = SinkCommon & SinkKindPlan;

export type SloPlan = {
  readonly name: string;
  readonly selector: string;
  /** Percent, above 0 and at most 100. */
  readonly target: number;
  readonly period: string;
  readonly excludeDowntimes: boolean;
  readonly downStatuses: readonly Status[];
};

export type ViewPlan = { readonly name: string; readonly selector: string; readonly description: string };

export type DatasourcePlan = {
  readonly name: string;
  readonly type: DatasourceType;
  readonly url: string;
  readonly headers: StringMap;
  readonly table: string;
  readonly default: boolean;
};

export type PanelPlan = {
  readonly name: string;
  readonly title: string;
  readonly datasource: string;
  readonly query: string;
  readonly unit: string;
  readonly selector: string;
};

/**
 * A configuration document, compiled: every name resolved, every span in ms, every expression checked.
 * Frozen plain data without closures, so that it crosses threads.
 */
export type RealmPlan = {
  /** Hash of the whole document's meaning. */
  readonly hash: string;
  /** Hosts, then services, then processes, each in the document's order. */
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
  /** Undefined where `ui.availability` is not declared. */
  readonly availabilityRangeMs: number | undefined;
};

/** The plan's part of a catalog. Contacts are all enabled here: toggles are state, not configuration. */
export type PlanCatalog = Omit<Catalog, "realm" | "toggles">;

export const isChecked = (plan: ObjectPlan): plan is HostPlan | ServicePlan => plan.key.kind !== "process";
