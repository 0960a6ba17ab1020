import type { ContactMute, SavedView } from "@realmwatch/shared/model/catalog";
import { allProgramTogglesOn, type ProgramToggles } from "@realmwatch/shared/model/toggles";
import type { StoredContactDeliveries } from "./contact-deliveries.ts";

/** State of the whole realm, as opposed to that of one object. Plain JSON: the journal stores it as it is. */
export type ProgramState = {
  readonly toggles: ProgramToggles;
  /** [TG3] `event_handlers.enabled` of the plan at the time handlers were toggled off; undefined while they are on. */
  readonly handlersConfigured?: boolean | undefined;
  readonly mutes: readonly ContactMute[];
  /** Undefined in the journal of an agent without saved views. */
  readonly savedViews?: readonly SavedView[] | undefined;
  /** Deliveries to each contact as stored; read at the start only. */
  readonly contacts?: StoredContactDeliveries | undefined;
  /** Time at which the agent last wrote its state, Unix ms. Missing results during a longer outage are excused. */
  readonly aliveAtMs: number;
  /** Hash of the plan that was running then; empty when unknown. */
  readonly configHash: string;
};

export const newProgramState = (nowMs: number): ProgramState => ({
  toggles: allProgramTogglesOn,
  mutes: [],
  aliveAtMs: nowMs,
  configHash: "",
});
