import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { Result } from "@realmwatch/shared/model/result";
import type { VerifiedFile } from "../journal/schema/verified-file.ts";
import type { RightToAct } from "../platform/right/right-to-act.ts";
import type { DivergedSlice } from "./journal/diverged-copies.ts";
import type { JournalShipper } from "./journal/journal-shipper.ts";
import type { ActiveParts } from "./link/follow-server.ts";
import type { PairControl } from "./pair-control.ts";

/** Facts that an agent needs to become the active member. */
export type DutyStart = {
  readonly epoch: number;
  /** Name of this member. */
  readonly member: string;
  /** Instance of the process that was active before; empty when unknown. */
  readonly previousInstance: string;
  /** Time until which the other member certainly judged, on the clock of this one, Unix ms; undefined when unknown. */
  readonly judgedUntilMs: number | undefined;
  readonly shipper: JournalShipper;
  /** Journal as the follower has closed it. */
  readonly verified: VerifiedFile | undefined;
  /** Document that the active member before had; undefined when unknown. */
  readonly document: string | undefined;
  readonly right: RightToAct;
  readonly control: PairControl;
  /** Notes an epoch that the agent took because the centre knows a greater one than its own. */
  epochHeard(epoch: number): void;
};

/** The agent of an active member. */
export type Duty = {
  readonly parts: ActiveParts;
  record(entry: HistoryEntry): void;
  /** Appends history records that another member had alone. */
  merge(member: string, slice: DivergedSlice): Promise<Result<unknown, string>>;
  /** Stores what the member notes for itself. */
  keepFacts(json: string): Promise<Result<unknown, string>>;
  reload(): void;
  /** Ends the agent. Resolves when its last group is on this member's disk. */
  handOver(): Promise<void>;
};

/** Starts the agent of the active member. Fails with a sentence, and then nothing of it runs. */
export type StartDuty = (start: DutyStart) => Promise<Result<Duty, string>>;
