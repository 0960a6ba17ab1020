import type { Command } from "@realmwatch/shared/commands/commands";
import { type CheckStatus, statuses } from "@realmwatch/shared/model/status";
import { parseDuration } from "@realmwatch/shared/text/duration";

/** A parsed action. Times are Unix ms, durations ms. */
export type ParsedAction =
  | { readonly kind: "advance"; readonly ms: number }
  | { readonly kind: "jump"; readonly ms: number }
  /** Result of the target's checks from now on. */
  | { readonly kind: "is"; readonly ref: string; readonly status: CheckStatus; readonly output: string }
  /** The same, followed by an immediate check. */
  | { readonly kind: "turns"; readonly ref: string; readonly status: CheckStatus; readonly output: string }
  | { readonly kind: "takes"; readonly ref: string; readonly ms: number }
  | { readonly kind: "command"; readonly author: string; readonly command: Command }
  | { readonly kind: "restart"; readonly afterMs: number }
  | { readonly kind: "reload" }
  | { readonly kind: "show"; readonly what: "checks" | "notifications" | "everything" }
  | { readonly kind: "row"; readonly ref: string }
  /** Lists the fields of each object's state that an agent would not restore after being killed now. */
  | { readonly kind: "compare" };

type Now = { readonly nowMs: number; newId(): string };

/** Parses a duration such as `90s` to ms; several, separated by spaces, are added. */
function spanOf(text: string): number {
  const parsed = parseDuration(text.replaceAll(" ", ""));
  if (!parsed.ok) throw new SyntaxError(`${text}: ${parsed.error}`);
  return parsed.value;
}

const dayMs = 86_400_000;

/** Time until a clock next shows `22:30` or `22:30:15`, ms. */
function untilTime(text: string, nowMs: number): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(":").map(Number);
  const ofDayMs = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  return (((ofDayMs - nowMs) % dayMs) + dayMs) % dayMs;
}

const isTime = (text: string): boolean => /^\d\d:\d\d(:\d\d)?$/.test(text);

/** Parses a time to Unix ms: `in 5m`, `5m ago`, `22:30` (the next one), `now`. */
function instantOf(text: string, nowMs: number): number {
  if (text === "now") return nowMs;
  if (isTime(text)) return nowMs + untilTime(text, nowMs);
  return text.endsWith(" ago") ? nowMs - spanOf(text.slice(0, -4)) : nowMs + spanOf(text.replace(/^in /, ""));
}

type ActionPattern = readonly [pattern: RegExp, parse: (parts: readonly string[], now: Now) => ParsedAction];

const command = (author: string | undefined, it: Command): ParsedAction => ({
  kind: "command",
  author: author ?? "ann",
  command: it,
});

/** Many actions end with `by NAME` and a comment in quotes. */
const tail = String.raw`(?: by (\S+))?(?: "(.*)")?$`;
const statusList = statuses.join("|");

/** All actions: pattern and parser. */
const actionPatterns: readonly ActionPattern[] = [
  [/^advance to (\S+)$/, ([time = ""], { nowMs }) => ({ kind: "advance", ms: untilTime(time, nowMs) })],
  [/^advance (.+)$/, ([span = ""]) => ({ kind: "advance", ms: spanOf(span) })],
  [/^the clock jumps (-?)(.+)$/, ([sign, span = ""]) => ({ kind: "jump", ms: spanOf(span) * (sign === "-" ? -1 : 1) })],
  [
    /^(\S+) is (ok|warning|critical|unknown)(?:: (.*))?$/,
    ([ref = "", status, output = ""]) => ({ kind: "is", ref, status: status as CheckStatus, output }),
  ],
  [
    /^(\S+) turns (ok|warning|critical|unknown)(?:: (.*))?$/,
    ([ref = "", status, output = ""]) => ({ kind: "turns", ref, status: status as CheckStatus, output }),
  ],
  [/^(\S+) takes (.+)$/, ([ref = "", span = ""]) => ({ kind: "takes", ref, ms: spanOf(span) })],
  [
    new RegExp(String.raw`^submit (\S+) (${statusList})(?: from (\S+) ago)?(?:: (.*))?$`),
    ([ref = "", status, ago, output = ""], { nowMs }) =>
      command("feeder", {
        kind: "process_check_results",
        results: [
          {
            ref,
            status: status as CheckStatus,
            output,
            longOutput: "",
            perfdata: [],
            executedAtMs: nowMs - (ago === undefined ? 0 : spanOf(ago)),
            executionMs: undefined,
            checkSource: "",
          },
        ],
      }),
  ],
  [
    new RegExp(`^acknowledge (\\S+)( sticky)?( and notify)?(?: until (.+?))?${tail}`),
    ([ref = "", sticky, notify, until, author, comment = ""], { nowMs }) =>
      command(author, {
        kind: "acknowledge_problem",
        refs: [ref],
        sticky: sticky !== undefined,
        notify: notify !== undefined,
        comment,
        ...(until === undefined ? {} : { expiresAtMs: instantOf(until, nowMs) }),
      }),
  ],
  [
    new RegExp(`^unacknowledge (\\S+)${tail}`),
    ([ref = "", author]) => command(author, { kind: "remove_acknowledgement", refs: [ref] }),
  ],
  [
    new RegExp(`^downtime (\\S+) from (.+?) to (.+?)(?: flexible for (\\S+))?(?: triggered by (\\S+))?${tail}`),
    ([ref = "", from = "", to = "", flexible, trigger, author, comment = ""], { nowMs, newId }) =>
      command(author, {
        kind: "schedule_downtime",
        downtimes: [{ id: newId(), ref }],
        startMs: instantOf(from, nowMs),
        endMs: instantOf(to, nowMs),
        comment,
        shape:
          flexible !== undefined
            ? { kind: "flexible", durationMs: spanOf(flexible) }
            : trigger !== undefined
              ? { kind: "triggered", triggeredBy: trigger }
              : { kind: "fixed" },
      }),
  ],
  [
    new RegExp(`^delete downtime (\\S+) of (\\S+)${tail}`),
    ([id = "", ref = "", author]) => command(author, { kind: "delete_downtime", ref, id }),
  ],
  [
    new RegExp(`^notify (\\S+)${tail}`),
    ([ref = "", author, comment = ""]) => command(author, { kind: "send_custom_notification", refs: [ref], comment }),
  ],
  [
    new RegExp(`^comment (\\S+)${tail}`),
    ([ref = "", author, text = ""], { newId }) => command(author, { kind: "add_comment", ref, id: newId(), text }),
  ],
  [
    new RegExp(`^delete comment (\\S+) of (\\S+)${tail}`),
    ([id = "", ref = "", author]) => command(author, { kind: "delete_comment", ref, id }),
  ],
  [/^check (\S+)$/, ([ref = ""]) => command(undefined, { kind: "schedule_check", refs: [ref] })],
  [
    /^all notifications (on|off)$/,
    ([to]) => command(undefined, { kind: "set_program_notifications", enabled: to === "on" }),
  ],
  [
    new RegExp(`^notifications of contact (\\S+) (on|off)(?: until (.+?))?${tail}`),
    ([contact = "", to, until, author, comment], { nowMs }) =>
      command(author, {
        ...{ kind: "set_contact_notifications", contact, enabled: to === "on" },
        ...(comment === undefined ? {} : { comment }),
        ...(until === undefined ? {} : { untilMs: instantOf(until, nowMs) }),
      }),
  ],
  [
    /^notifications of (\S+) (on|off)$/,
    ([ref = "", to]) => command(undefined, { kind: "set_object_notifications", refs: [ref], enabled: to === "on" }),
  ],
  [
    /^all (activeChecks|passiveChecks|eventHandlers|flapDetection) (on|off)$/,
    ([toggle, to]) =>
      command(undefined, { kind: "set_program_toggle", toggle: toggle as "flapDetection", enabled: to === "on" }),
  ],
  [
    /^(activeChecks|passiveChecks|eventHandler|flapDetection) of (\S+) (on|off)$/,
    ([toggle, ref = "", to]) =>
      command(undefined, {
        kind: "set_object_toggle",
        refs: [ref],
        toggle: toggle as "flapDetection",
        enabled: to === "on",
      }),
  ],
  [/^restart(?: after (.+))?$/, ([span]) => ({ kind: "restart", afterMs: span === undefined ? 0 : spanOf(span) })],
  [/^reload$/, () => ({ kind: "reload" })],
  [/^show (checks|notifications|everything)$/, ([what]) => ({ kind: "show", what: what as "checks" })],
  [/^row (\S+)$/, ([ref = ""]) => ({ kind: "row", ref })],
  [/^compare with what is kept$/, () => ({ kind: "compare" })],
];

/** @throws SyntaxError for an unknown action */
export function parseAction(text: string, now: Now): ParsedAction {
  for (const [pattern, parse] of actionPatterns) {
    const parts = pattern.exec(text);
    if (parts !== null) return parse(parts.slice(1), now);
  }
  throw new SyntaxError(`unknown action: ${text}`);
}
