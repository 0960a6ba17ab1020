import { ok } from "@realmwatch/shared/model/result";
import { timestampOf } from "@realmwatch/shared/wire/fields/time";
import { cliCommand } from "../cli-command.ts";
import { misuse } from "../failure.ts";
import { readTarget } from "../read-target.ts";
import { readTime } from "../read-time.ts";
import { done, selectorFlag, showTarget } from "./target-command.ts";

export const acknowledgeCommand = cliCommand({
  path: "ack",
  words: ["[TARGET]"],
  about: "Acknowledge the current problem of a host, a service, a process or a selection.",
  flags: {
    selector: selectorFlag,
    comment: { help: "Why, or who is at it.", placeholder: "TEXT", required: true },
    sticky: { help: "Holds until recovery; otherwise any change of status ends it." },
    notify: { help: "Tells those who were told of the problem." },
    expires: { help: "Ends by itself: after a duration such as 4h, or at a time.", placeholder: "TIME" },
  },
  async run({ words: [word], flags, desk }) {
    const target = readTarget(word, flags.selector);
    if (!target.ok) return misuse(target.error);
    const frame = { fromMs: desk.clock.now(), zone: desk.zone, towards: "future" } as const;
    const expiry = flags.expires === undefined ? ok(undefined) : readTime(flags.expires, frame);
    if (!expiry.ok) return misuse(`-expires: ${JSON.stringify(flags.expires)} ${expiry.error}`);
    const { sticky, notify, comment } = flags;
    const expiresAt = expiry.value === undefined ? {} : { expiresAt: timestampOf(expiry.value) };
    const request = { target: target.value, sticky, notify, comment, ...expiresAt };
    const answer = await desk.server.command("acknowledgeProblem", request);
    return answer.ok ? ok(done(`acknowledged ${showTarget(target.value)}`)) : answer;
  },
});

export const removeAcknowledgementCommand = cliCommand({
  path: "ack remove",
  words: ["[TARGET]"],
  about: "Take an acknowledgement back.",
  flags: { selector: selectorFlag },
  async run({ words: [word], flags, desk }) {
    const target = readTarget(word, flags.selector);
    if (!target.ok) return misuse(target.error);
    const answer = await desk.server.command("removeAcknowledgement", { target: target.value });
    return answer.ok ? ok(done(`${showTarget(target.value)}: no longer acknowledged`)) : answer;
  },
});
