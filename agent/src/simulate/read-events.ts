import { type CommandEffect, commandEffects, recordedCommand } from "@realmwatch/shared/commands/commands";
import type { Author } from "@realmwatch/shared/model/author";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { refOf } from "@realmwatch/shared/model/object-key";
import { parseToggleText } from "@realmwatch/shared/read-model/history/toggle-text";
import { acceptedCommandAt, type NotificationSummary, type RecordedEvent } from "./recording.ts";

const byOf = ({ author = "", onBehalfOf = "" }: HistoryRecord): Author => ({ author, onBehalfOf });

/** Restores external events from history records, which are passed in their order. */
export class EventReader {
  readonly events: RecordedEvent[] = [];
  readonly sent: NotificationSummary[] = [];
  /** Effects of the commands on the realm's toggles. */
  readonly realmEffects: CommandEffect[] = [];
  configurations = 0;
  gaps = 0;
  #last: HistoryRecord | undefined;

  take(record: HistoryRecord): void {
    if (record.key === undefined) this.#takeOfRealm(record);
    else this.#takeOfObject(record, refOf(record.key));
    this.#last = record;
  }

  #takeOfRealm({ type, atMs, output = "", stoppedAtMs }: HistoryRecord): void {
    // No records are lost while no agent runs.
    if (type === "gap" && stoppedAtMs === undefined) this.gaps += 1;
    if (type === "config") this.configurations += 1;
    const command = type === "toggle" ? recordedCommand(output) : undefined;
    if (command === undefined) return;
    const accepted = acceptedCommandAt(atMs, command);
    this.realmEffects.push(...commandEffects(accepted));
    this.events.push({ kind: "command", atMs, accepted });
  }

  #takeOfObject(record: HistoryRecord, ref: string): void {
    const { atMs } = record;
    switch (record.type) {
      case "state":
        return this.#takeState(record, ref);
      case "flapping_start":
      case "flapping_stop":
        return this.#takeFlap(record, ref);
      case "acknowledged":
        if (record.acknowledgement === undefined) return;
        return this.#add(ref, atMs, { kind: "acknowledge", acknowledgement: record.acknowledgement, notify: false });
      case "acknowledgement_removed":
        // The engine itself ends an acknowledgement with a result or at its expiry.
        if (record.status !== undefined || record.comment === "expired") return;
        return this.#add(ref, atMs, { kind: "remove_acknowledgement", by: byOf(record) });
      case "downtime_scheduled":
        return this.#takeDowntime(record, ref);
      case "downtime_cancelled":
        if (record.downtimeId === undefined) return;
        return this.#add(ref, atMs, { kind: "delete_downtime", id: record.downtimeId, by: byOf(record) });
      case "toggle": {
        const change = parseToggleText(record.output ?? "");
        return change && this.#add(ref, atMs, { kind: "set_toggle", ...change, by: byOf(record) });
      }
      case "notification_queued":
        this.#takeSent(record, ref);
        return this.#takeNotificationRequest(record, ref);
      case "notification_suppressed":
        return this.#takeNotificationRequest(record, ref);
      default:
        return;
    }
  }

  #add(ref: string, atMs: number, input: Extract<RecordedEvent, { kind: "input" }>["input"]): void {
    this.events.push({ kind: "input", atMs, ref, input });
  }

  /** Processes are left out: the replay evaluates their rules. A dropped result has no status. */
  #takeState({ atMs, key, status, previousStatus = "pending", stateType = "hard" }: HistoryRecord, ref: string): void {
    if (key?.kind === "process" || status === undefined || status === "pending") return;
    this.events.push({ kind: "state", atMs, ref, status, previousStatus, stateType, flap: undefined });
  }

  /** If the same result changed the state, the state record comes immediately before this one. */
  #takeFlap({ type, atMs, key, seq }: HistoryRecord, ref: string): void {
    if (key?.kind === "process") return;
    const flap = type === "flapping_start" ? "start" : "stop";
    const last = this.events.at(-1);
    const isOfSameResult = this.#last?.type === "state" && this.#last.seq === seq - 1;
    if (isOfSameResult && last?.kind === "state" && last.ref === ref && last.atMs === atMs) last.flap = flap;
    else this.events.push({ kind: "flap", atMs, ref, flap });
  }

  #takeDowntime({ atMs, downtime }: HistoryRecord, ref: string): void {
    if (downtime === undefined || downtime.shape.kind === "recurring") return;
    const { id, startMs, endMs, comment, shape, author, onBehalfOf } = downtime;
    const accepted = acceptedCommandAt(atMs, {
      ...{ kind: "schedule_downtime", downtimes: [{ id, ref }], startMs, endMs, comment },
      shape,
    });
    this.events.push({ kind: "command", atMs, accepted: { ...accepted, author, onBehalfOf } });
  }

  /** A fallback is a matter of the delivery: the replay does not deliver. */
  #takeSent({ atMs, contact, notificationKind: kind, status, level = 0, because }: HistoryRecord, ref: string): void {
    if (because?.name !== undefined && because.name !== "") return;
    if (contact === undefined || kind === undefined || status === undefined) return;
    this.sent.push({ atMs, ref, contact, kind, status, level });
  }

  /** Requests for notifications are not recorded: they are restored from the notifications, sent or suppressed. */
  #takeNotificationRequest(record: HistoryRecord, ref: string): void {
    const { atMs, notificationKind: kind, comment = "", because, seq } = record;
    // Records of a digest and of a fallback are about the delivery of a notification, not about its decision.
    if (because?.reason === "digest" || (because?.reason === "decided" && because.name !== "")) return;
    const last = this.events.at(-1);
    if (kind === "ACKNOWLEDGEMENT" && last?.kind === "input" && last.ref === ref && last.input.kind === "acknowledge")
      this.events[this.events.length - 1] = { ...last, input: { ...last.input, notify: true } };
    if (kind !== "CUSTOM" || this.#isSameNotification(record, seq)) return;
    this.#add(ref, atMs, { kind: "custom_notification", comment, by: byOf(record) });
  }

  /** True when the record before is of the same notification to another contact. */
  #isSameNotification({ key, atMs, comment }: HistoryRecord, seq: number): boolean {
    const last = this.#last;
    if (last?.key === undefined || key === undefined || last.seq !== seq - 1) return false;
    const isCustom = last.type === "notification_queued" && last.notificationKind === "CUSTOM";
    return isCustom && last.atMs === atMs && last.comment === comment && refOf(last.key) === refOf(key);
  }
}
