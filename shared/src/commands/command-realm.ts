import type { SavedView } from "../model/catalog.ts";
import type { Downtime } from "../model/downtime.ts";
import type { ObjectKey } from "../model/object-key.ts";
import type { ObjectToggles, ProgramToggles } from "../model/toggles.ts";
import type { Selector } from "../text/selector/selector.ts";

/** Definition and state of one object, as far as commands depend on them. */
export type CommandObject = {
  readonly plan: {
    readonly ref: string;
    readonly key: ObjectKey;
    /** References of a host's services. */
    readonly services?: readonly string[];
    /** References of the hosts that are reached through a host. */
    readonly children?: readonly string[];
  };
  readonly state: {
    readonly last: { readonly executedAtMs: number } | undefined;
    readonly toggles: ObjectToggles;
    readonly downtimes: readonly Downtime[];
  };
};

/** Realm that a command is for. */
export type CommandRealm = {
  readonly plan: {
    readonly contacts: ReadonlyMap<string, unknown>;
    readonly recurringDowntimes: readonly { readonly name: string }[];
    readonly views: readonly { readonly name: string }[];
  };
  readonly program: { readonly toggles: ProgramToggles; readonly savedViews?: readonly SavedView[] | undefined };
  readonly records: ReadonlyMap<string, CommandObject>;
  /** Object of each comment, by comment id. */
  readonly commentRefs: ReadonlyMap<string, string>;
  /** Object of each downtime, by downtime id. */
  readonly downtimeRefs: ReadonlyMap<string, string>;
  /** Downtimes of a change. */
  downtimesOfChange(changeId: string): readonly { readonly id: string; readonly ref: string }[];
  /** Objects that match a selector, in the order of the plan. */
  recordsMatching(selector: Selector): readonly CommandObject[];
};

/** Values that a command is resolved with. */
export type ResolutionContext = {
  readonly realm: CommandRealm;
  readonly mintId: () => string;
  /** Idempotency key of the request; undefined without one. */
  readonly requestKey?: string | undefined;
  /** Time of the request, Unix ms. */
  readonly nowMs: number;
};
