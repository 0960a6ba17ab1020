import type { Command } from "@realmwatch/shared/model/command";
import { type CheckStatus, statuses } from "@realmwatch/shared/model/status";
import { parseDuration } from "@realmwatch/shared/text/duration";

/** What an act means. Instants are Unix ms, spans ms. */
export type ParsedAction =
  | { readonly kind: "advance"; readonly ms: number }
  | { readonly kind: "jump"; readonly ms: number }
  /** What a target answers from now on. */
  | { readonly kind: "is"; readonly ref: string; readonly status: CheckStatus; readonly output: string }
  /** The same, and it is looked at right away. */
  | { readonly kind: "turns"; readonly ref: string; readonly status: CheckStatus; readonly output: string }
  | { readonly kind: "takes"; readonly ref: string; readonly ms: number }
  | { readonly kind: "command"; readonly author: string; readonly command: Command }
  | { readonly kind: "restart"; readonly afterMs: number }
  | { readonly kind: "reload" }
  | { readonly kind: "show"; readonly what: "checks" | "notifications" | "everything" }
  | { readonly kind: "row"; readonly ref: string }
  /** Says of each object which parts of its state a killed agent would not find as they are. */
  | { readonly kind: "compare" };

type Now = { readonly nowMs: number; newId(): string };

/** `ms` of a span like `90s`; several, separated by blanks, add up. */
function spanOf(text: string): number {
  const parsed = parseDuration(text.replaceAll(" ", ""));
  if (!parsed.ok) throw new SyntaxError(`${text}: ${parsed.error}`);
  return parsed.value;
}

const dayMs = 86_400_000;

/** How long until a clock next says `22:30` or `22:30:15`. */
function untilTime(text: string, nowMs: number): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(":").map(Number);
  const ofDayMs = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  return (((ofDayMs - nowMs) % dayMs) + dayMs) % dayMs;
}

const isTime = (text: string): boolean => /^\d\d:\d\d(:\d\d)?$/.test(text);

/** `in 5m`, `5m ago`, `22:30` (when that is next), `now`. */
function instantOf(text: string, nowMs: number): number {
  if (text === "now") return nowMs;
  if (isTime(text)) return nowMs + untilTime(text, nowMs);
  return text.endsWith(" ago") ? nowMs - spanOf(text.slice(0, -4)) : nowMs + spanOf(text.replace(/^in /, ""));
}

type Verb = readonly [form: RegExp, means: (parts: readonly string[], now: Now) => ParsedAction];

const command = (author: string | undefined, it: Command): ParsedAction => ({
  kind: "command",
  author: author ?? "ann",
  command: it,
});

/** `by NAME` and a comment in quotes end many acts. */
const tail = String.raw`(?: by (\S+))?(?: "(.*)")?$`;
const statusList = statuses.join("|");

/** Every act there is, one line each: its form and its meaning. */
const verbs: readonly Verb[] = [
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
    /^notifications of contact (\S+) (on|off)$/,
    ([contact = "", to]) => command(undefined, { kind: "set_contact_notifications", contact, enabled: to === "on" }),
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

/** @throws SyntaxError for an act that nobody knows */
export function parseAction(text: string, now: Now): ParsedAction {
  for (const [form, means] of verbs) {
    const parts = form.exec(text);
    if (parts !== null) return means(parts.slice(1), now);
  }
  throw new SyntaxError(`nobody knows what this means: ${text}`);
}
