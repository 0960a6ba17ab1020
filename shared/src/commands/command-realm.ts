import type { ObjectPlan, RealmPlan } from "../config/plan.ts";
import type { Downtime } from "../model/downtime.ts";
import type { ObjectToggles, ProgramToggles } from "../model/toggles.ts";
import type { Selector } from "../text/selector/selector.ts";

/** Definition and state of one object, as far as commands depend on them. */
export type CommandObject = {
  readonly plan: ObjectPlan;
  readonly state: {
    readonly last: { readonly executedAtMs: number } | undefined;
    readonly toggles: ObjectToggles;
    readonly downtimes: readonly Downtime[];
  };
};

/** Realm that a command is for. */
export type CommandRealm = {
  readonly plan: Pick<RealmPlan, "contacts" | "recurringDowntimes">;
  readonly program: { readonly toggles: ProgramToggles };
  readonly records: ReadonlyMap<string, CommandObject>;
  /** Object of each comment, by comment id. */
  readonly commentRefs: ReadonlyMap<string, string>;
  /** Object of each downtime, by downtime id. */
  readonly downtimeRefs: ReadonlyMap<string, string>;
  /** Objects that match a selector, in the order of the plan. */
  recordsMatching(selector: Selector): readonly CommandObject[];
};

/** Values that a command is resolved with. */
export type ResolutionContext = {
  readonly realm: CommandRealm;
  readonly mintId: () => string;
  /** Time of the request, Unix ms. */
  readonly nowMs: number;
};
