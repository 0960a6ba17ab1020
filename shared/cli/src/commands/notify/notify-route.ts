import { refOf } from "@realmwatch/shared/model/object-key";
import { formatInstant } from "@realmwatch/shared/text/instant";
import { cliCommand } from "../../cli-command.ts";
import { givenFlags } from "../../local/agent-command.ts";
import { runFormatted } from "../../local/local-result.ts";
import { wrongUsage } from "../../output/cli-failure.ts";
import { readObject } from "../../parse/read-target.ts";
import { readTime } from "../../parse/read-time.ts";

export const notifyRouteCliCommand = cliCommand({
  path: "notify route",
  args: ["OBJECT"],
  summary:
    "Show who would be notified about an object and when, and why others would not be. Uses the running configuration, or that of -config.",
  flags: {
    kind: { help: "Notification kind: PROBLEM by default, RECOVERY, FLAPPING_START, …", placeholder: "KIND" },
    problem: { help: "Status of the problem: critical by default, warning or unknown.", placeholder: "STATUS" },
    at: { help: "Time of the event: now by default, 22:00, +2h, RFC 3339.", placeholder: "TIME" },
    lasted: { help: "Duration of what ends at that time, 1h by default.", placeholder: "DURATION" },
    verify: { help: "Contacts that the first notification has to reach, and no others.", placeholder: "LIST" },
    config: { help: "Configuration document; that of the server by default.", placeholder: "FILE" },
    "data-dir": { help: "Data directory of an agent, whose current state is applied.", placeholder: "DIR" },
    realm: { help: "Name of the realm.", placeholder: "NAME" },
  },
  async run({ args: [object = ""], flags: { at, problem, config, ...flags }, context }) {
    const key = readObject(object);
    if (!key.ok) return wrongUsage(key.error);
    const read = readTime(at ?? "now", { fromMs: context.clock.now(), zone: context.zone, direction: "future" });
    if (!read.ok) return wrongUsage(`-at: ${JSON.stringify(at)} ${read.error}`);
    const given = givenFlags({
      ...flags,
      status: problem,
      at: at === undefined ? undefined : formatInstant(read.value),
    });
    const args = ["notify-route", ...given];
    const ref = refOf(key.value);
    if (config !== undefined) return runFormatted(context, { args: [...args, `-config=${config}`, ref] });
    const served = await context.server.admin("getConfig", {});
    if (!served.ok) return served;
    return runFormatted(context, { args: [...args, "-served", ref], input: served.value.cue });
  },
});
