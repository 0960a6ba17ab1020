import type { CommandRealm } from "@realmwatch/shared/commands/command-realm";
import type { ObjectPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import type { RemainingRecipients } from "@realmwatch/shared/model/catalog";
import type { Selector } from "@realmwatch/shared/text/selector/selector";
import type { InheritedSuppression } from "../../engine/state/object-row.ts";
import type { ObjectState } from "../../engine/state/object-state.ts";
import type { ContactDeliveriesReader } from "./contact-deliveries.ts";
import type { ProgramState } from "./program-state.ts";

/** Definition and state of one object, as modules outside the realm loop may read them. */
export type ReadonlyRecord = { readonly plan: ObjectPlan; readonly state: ObjectState };

/**
 * Read-only view of a realm's state, for every module but the realm loop, which alone changes the state. Comments and
 * downtimes include those of accepted commands that are not applied yet.
 */
export interface RealmReader extends Pick<CommandRealm, "commentRefs" | "downtimeRefs" | "downtimesOfChange"> {
  /** Name of the realm, selected by `@realm`. */
  readonly name: string;
  readonly plan: RealmPlan;
  readonly program: ProgramState;
  readonly contactDeliveries: ContactDeliveriesReader;
  /** Recipients that are left without a contact, by contact. */
  readonly remainingRecipients: ReadonlyMap<string, RemainingRecipients>;
  readonly records: ReadonlyMap<string, ReadonlyRecord>;
  /** Objects that match a selector in their present state, in the order of the plan. */
  recordsMatching(selector: Selector): readonly ReadonlyRecord[];
  refsMatching(selector: Selector): readonly string[];
  /** Suppression that an object inherits from its host, parents and dependencies at `nowMs`. */
  suppressionOf(record: ReadonlyRecord, nowMs: number): InheritedSuppression;
}
