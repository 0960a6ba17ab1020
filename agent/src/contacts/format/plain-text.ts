import type { Notification } from "@realmwatch/shared/model/notification";
import { isProblem } from "@realmwatch/shared/model/status";
import type { Message, Sender } from "../contact-type.ts";
import { describe, type Telling } from "./notification-text.ts";
import { clip } from "./sanitise-text.ts";

/** A message in words. */
export type Worded = { readonly subject: string; readonly tellings: readonly Telling[] };

export function wordMessage({ notifications }: Message, sender: Sender): Worded {
  const tellings = notifications.map((notification) => describe(notification, sender));
  const [only] = tellings;
  if (only !== undefined && tellings.length === 1) return { subject: only.subject, tellings };
  return { subject: digestSubject(notifications, sender.realm), tellings };
}

/** The message with all of its texts changed; links stay. */
export function mapTexts({ subject, tellings }: Worded, change: (text: string) => string): Worded {
  return {
    subject: change(subject),
    tellings: tellings.map((telling) => ({
      ...telling,
      subject: change(telling.subject),
      headline: change(telling.headline),
      output: change(telling.output),
      longOutput: change(telling.longOutput),
      facts: telling.facts.map(([label, value]) => [label, change(value)] as const),
    })),
  };
}

/** `3 problems, 1 recovery, 2 other notifications [fra]`. */
function digestSubject(notifications: readonly Notification[], realm: string): string {
  const {
    problem = [],
    recovery = [],
    other = [],
  } = Object.groupBy(notifications, ({ kind, status }) => {
    if (kind === "RECOVERY") return "recovery";
    return (kind === "PROBLEM" || kind === "STATUS_CHANGE") && isProblem(status) ? "problem" : "other";
  });
  const parts = [
    count(problem.length, "problem", "problems"),
    count(recovery.length, "recovery", "recoveries"),
    count(other.length, "other notification", "other notifications"),
  ];
  return `${parts.filter(Boolean).join(", ")} [${realm}]`;
}

const count = (number: number, one: string, several: string): string =>
  number === 0 ? "" : `${number} ${number === 1 ? one : several}`;

/** Everything there is to say, as plain text: one notification in full, a digest as one paragraph each. */
export function plainText({ subject, tellings }: Worded): string {
  const [only] = tellings;
  if (only !== undefined && tellings.length === 1) return fullText(only);
  return [subject, "", ...tellings.map((telling) => `${shortText(telling)}\n`)].join("\n");
}

function fullText({ headline, output, longOutput, facts, hint, url }: Telling): string {
  const width = Math.max(...facts.map(([label]) => label.length));
  const indent = " ".repeat(width + 2);
  const lines = facts.map(
    ([label, value]) => `${`${label}:`.padEnd(width + 2)}${value.replaceAll("\n", `\n${indent}`)}`,
  );
  return [headline, output, longOutput, lines.join("\n"), [hint, url].filter(Boolean).join("\n")]
    .filter(Boolean)
    .join("\n\n")
    .concat("\n");
}

/** One of several: what happened, the output and where to look. */
const shortText = ({ subject, output, url }: Telling): string =>
  [`* ${subject}`, output && `  ${clip(output.replace(/\s+/g, " "), 300)}`, url && `  ${url}`]
    .filter(Boolean)
    .join("\n");

/** At most `maxLength` characters; a digest says how many it leaves out. */
export function shortenedText(worded: Worded, maxLength: number): string {
  const full = plainText(worded);
  if (full.length <= maxLength || worded.tellings.length === 1) return clip(full, maxLength);
  const room = maxLength - 60;
  let text = `${worded.subject}\n\n`;
  for (const [at, telling] of worded.tellings.entries()) {
    const paragraph = `${shortText(telling)}\n\n`;
    if (text.length + paragraph.length > room) return `${text}and ${worded.tellings.length - at} more`;
    text += paragraph;
  }
  return text;
}
