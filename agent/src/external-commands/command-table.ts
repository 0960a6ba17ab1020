import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { ObjectToggle, ProgramToggle } from "@realmwatch/shared/model/toggles";
import type { CommandTargets, DowntimeArguments, ExternalCommand } from "./external-command.ts";
import {
  type ArgumentName,
  type ParsedArguments,
  parseArguments,
  parseUnixSeconds,
  splitArguments,
} from "./line-arguments.ts";

/** Parses the arguments of a command; fails with the end of a sentence. */
type ArgumentsParser = (raw: string | undefined) => Result<ExternalCommand, string>;

const parser =
  <N extends ArgumentName>(
    names: readonly N[],
    make: (values: ParsedArguments<N>) => ExternalCommand,
  ): ArgumentsParser =>
  (raw) => {
    const values = parseArguments(names, raw);
    return values.ok ? ok(make(values.value)) : values;
  };

const hostOf = ({ host }: { host: string }) => ({ kind: "host", host }) as const;
const serviceOf = ({ host, service }: { host: string; service: string }) =>
  ({ kind: "service", host, service }) as const;
const servicesOf = ({ host }: { host: string }): CommandTargets => ({ kind: "services", host });

const downtimeArguments = ["start", "end", "fixed", "trigger", "duration", "author", "comment"] as const;
const downtimeOf = (values: ParsedArguments<(typeof downtimeArguments)[number]>): DowntimeArguments => ({
  startMs: values.start,
  endMs: values.end,
  fixed: values.fixed,
  trigger: values.trigger,
  durationMs: values.duration,
  author: values.author,
  comment: values.comment,
});

const acknowledgementArguments = ["sticky", "notify", "persistent"] as const;
/** Meaning that Nagios documents: 2 lasts until the recovery, any other value until the status changes. */
const isSticky = (sticky: number): boolean => sticky === 2;

const results: Record<string, ArgumentsParser> = {
  PROCESS_SERVICE_CHECK_RESULT: parser(["host", "service", "code", "output"], (values) => ({
    kind: "result",
    object: serviceOf(values),
    code: values.code,
    output: values.output,
  })),
  PROCESS_HOST_CHECK_RESULT: parser(["host", "code", "output"], (values) => ({
    kind: "result",
    object: hostOf(values),
    code: values.code,
    output: values.output,
  })),
};

const acknowledgements: Record<string, ArgumentsParser> = {
  ACKNOWLEDGE_HOST_PROBLEM: parser(["host", ...acknowledgementArguments, "author", "comment"], (values) => ({
    ...values,
    kind: "acknowledge",
    object: hostOf(values),
    sticky: isSticky(values.sticky),
  })),
  ACKNOWLEDGE_SVC_PROBLEM: parser(["host", "service", ...acknowledgementArguments, "author", "comment"], (values) => ({
    ...values,
    kind: "acknowledge",
    object: serviceOf(values),
    sticky: isSticky(values.sticky),
  })),
  ACKNOWLEDGE_HOST_PROBLEM_EXPIRE: parser(
    ["host", ...acknowledgementArguments, "expires", "author", "comment"],
    (values) => ({
      ...values,
      kind: "acknowledge",
      object: hostOf(values),
      sticky: isSticky(values.sticky),
      expiresAtMs: values.expires,
    }),
  ),
  ACKNOWLEDGE_SVC_PROBLEM_EXPIRE: parser(
    ["host", "service", ...acknowledgementArguments, "expires", "author", "comment"],
    (values) => ({
      ...values,
      kind: "acknowledge",
      object: serviceOf(values),
      sticky: isSticky(values.sticky),
      expiresAtMs: values.expires,
    }),
  ),
  REMOVE_HOST_ACKNOWLEDGEMENT: parser(["host"], (values) => ({
    kind: "remove_acknowledgement",
    object: hostOf(values),
  })),
  REMOVE_SVC_ACKNOWLEDGEMENT: parser(["host", "service"], (values) => ({
    kind: "remove_acknowledgement",
    object: serviceOf(values),
  })),
};

const hostDowntime = (
  objects: (values: { host: string }) => CommandTargets,
  children: "none" | "same" | "triggered" = "none",
): ArgumentsParser =>
  parser(["host", ...downtimeArguments], (values) => ({
    kind: "downtime",
    objects: objects(values),
    children,
    ...downtimeOf(values),
  }));

const downtimes: Record<string, ArgumentsParser> = {
  SCHEDULE_HOST_DOWNTIME: hostDowntime(hostOf),
  SCHEDULE_HOST_SVC_DOWNTIME: hostDowntime(servicesOf),
  SCHEDULE_AND_PROPAGATE_HOST_DOWNTIME: hostDowntime(hostOf, "same"),
  SCHEDULE_AND_PROPAGATE_TRIGGERED_HOST_DOWNTIME: hostDowntime(hostOf, "triggered"),
  SCHEDULE_SVC_DOWNTIME: parser(["host", "service", ...downtimeArguments], (values) => ({
    kind: "downtime",
    objects: serviceOf(values),
    children: "none",
    ...downtimeOf(values),
  })),
  DEL_HOST_DOWNTIME: parser(["id"], ({ id }) => ({ kind: "delete_downtime", of: "host", id })),
  DEL_SVC_DOWNTIME: parser(["id"], ({ id }) => ({ kind: "delete_downtime", of: "service", id })),
  DEL_DOWNTIME_BY_HOST_NAME: (raw) => {
    const [host = "", service = "", start = "", comment = ""] = splitArguments(raw, 4);
    return host === "" ? fail("argument 1 (host) is empty") : deleteDowntimes({ host, service, start, comment });
  },
  DEL_DOWNTIME_BY_START_TIME_COMMENT: (raw) => {
    const [start = "", comment = ""] = splitArguments(raw, 2);
    if (start === "" && comment === "") return fail("names neither a start nor a comment");
    return deleteDowntimes({ host: "", service: "", start, comment });
  },
};

/** Command that deletes downtimes; empty criteria match everything. */
function deleteDowntimes({ host, service, start, comment }: Record<"host" | "service" | "start" | "comment", string>) {
  const startMs = start === "" || start === "0" ? undefined : parseUnixSeconds(start);
  if (startMs?.ok === false) return fail(`the start ${startMs.error}`);
  return ok({
    kind: "delete_downtimes",
    ...(host !== "" && { host }),
    ...(service !== "" && { service }),
    ...(startMs && { startMs: startMs.value }),
    ...(comment !== "" && { comment }),
  } as const);
}

const comments: Record<string, ArgumentsParser> = {
  ADD_HOST_COMMENT: parser(["host", "persistent", "author", "comment"], (values) => ({
    kind: "add_comment",
    object: hostOf(values),
    author: values.author,
    text: values.comment,
  })),
  ADD_SVC_COMMENT: parser(["host", "service", "persistent", "author", "comment"], (values) => ({
    kind: "add_comment",
    object: serviceOf(values),
    author: values.author,
    text: values.comment,
  })),
  DEL_HOST_COMMENT: parser(["id"], ({ id }) => ({ kind: "delete_comment", of: "host", id })),
  DEL_SVC_COMMENT: parser(["id"], ({ id }) => ({ kind: "delete_comment", of: "service", id })),
  DEL_ALL_HOST_COMMENTS: parser(["host"], (values) => ({ kind: "delete_comments", object: hostOf(values) })),
  DEL_ALL_SVC_COMMENTS: parser(["host", "service"], (values) => ({
    kind: "delete_comments",
    object: serviceOf(values),
  })),
};

const notifications: Record<string, ArgumentsParser> = {
  SEND_CUSTOM_HOST_NOTIFICATION: parser(["host", "options", "author", "comment"], (values) => ({
    kind: "notify",
    object: hostOf(values),
    author: values.author,
    comment: values.comment,
  })),
  SEND_CUSTOM_SVC_NOTIFICATION: parser(["host", "service", "options", "author", "comment"], (values) => ({
    kind: "notify",
    object: serviceOf(values),
    author: values.author,
    comment: values.comment,
  })),
};

const checkOf = (objects: (values: { host: string }) => CommandTargets, forced: boolean): ArgumentsParser =>
  parser(["host", "time"], (values) => ({ kind: "check", objects: objects(values), forced }));
const serviceCheck = (forced: boolean): ArgumentsParser =>
  parser(["host", "service", "time"], (values) => ({ kind: "check", objects: serviceOf(values), forced }));

const checks: Record<string, ArgumentsParser> = {
  SCHEDULE_HOST_CHECK: checkOf(hostOf, false),
  SCHEDULE_FORCED_HOST_CHECK: checkOf(hostOf, true),
  SCHEDULE_HOST_SVC_CHECKS: checkOf(servicesOf, false),
  SCHEDULE_FORCED_HOST_SVC_CHECKS: checkOf(servicesOf, true),
  SCHEDULE_SVC_CHECK: serviceCheck(false),
  SCHEDULE_FORCED_SVC_CHECK: serviceCheck(true),
};

/** Parsers of a pair of commands that switch a toggle on and off. */
const pair = (
  words: readonly [on: string, off: string],
  name: string,
  make: (enabled: boolean) => ArgumentsParser,
) => ({
  [`${words[0]}_${name}`]: make(true),
  [`${words[1]}_${name}`]: make(false),
});
const enabling = ["ENABLE", "DISABLE"] as const;
const starting = ["START", "STOP"] as const;

const hostToggle = (
  name: string,
  toggle: ObjectToggle | "notifications",
  objects: (v: { host: string }) => CommandTargets,
) =>
  pair(enabling, name, (enabled) =>
    parser(["host"], (values) => ({ kind: "object_toggle", objects: objects(values), toggle, enabled })),
  );
const serviceToggle = (name: string, toggle: ObjectToggle | "notifications") =>
  pair(enabling, name, (enabled) =>
    parser(["host", "service"], (values) => ({ kind: "object_toggle", objects: serviceOf(values), toggle, enabled })),
  );
const programToggle = (words: readonly [string, string], name: string, toggle: ProgramToggle | "notifications") =>
  pair(words, name, (enabled) => parser([], () => ({ kind: "program_toggle", toggle, enabled })));
const contactToggle = (name: string) =>
  pair(enabling, name, (enabled) =>
    parser(["contact"], ({ contact }) => ({ kind: "contact_toggle", contact, enabled })),
  );

const toggles: Record<string, ArgumentsParser> = {
  ...hostToggle("HOST_NOTIFICATIONS", "notifications", hostOf),
  ...hostToggle("HOST_SVC_NOTIFICATIONS", "notifications", servicesOf),
  ...serviceToggle("SVC_NOTIFICATIONS", "notifications"),
  ...hostToggle("HOST_CHECK", "activeChecks", hostOf),
  ...hostToggle("HOST_SVC_CHECKS", "activeChecks", servicesOf),
  ...serviceToggle("SVC_CHECK", "activeChecks"),
  ...hostToggle("PASSIVE_HOST_CHECKS", "passiveChecks", hostOf),
  ...serviceToggle("PASSIVE_SVC_CHECKS", "passiveChecks"),
  ...hostToggle("HOST_EVENT_HANDLER", "eventHandler", hostOf),
  ...serviceToggle("SVC_EVENT_HANDLER", "eventHandler"),
  ...hostToggle("HOST_FLAP_DETECTION", "flapDetection", hostOf),
  ...serviceToggle("SVC_FLAP_DETECTION", "flapDetection"),
  ...programToggle(enabling, "NOTIFICATIONS", "notifications"),
  ...programToggle(enabling, "EVENT_HANDLERS", "eventHandlers"),
  ...programToggle(enabling, "FLAP_DETECTION", "flapDetection"),
  ...programToggle(starting, "EXECUTING_HOST_CHECKS", "activeChecks"),
  ...programToggle(starting, "EXECUTING_SVC_CHECKS", "activeChecks"),
  ...programToggle(starting, "ACCEPTING_PASSIVE_HOST_CHECKS", "passiveChecks"),
  ...programToggle(starting, "ACCEPTING_PASSIVE_SVC_CHECKS", "passiveChecks"),
  ...contactToggle("CONTACT_HOST_NOTIFICATIONS"),
  ...contactToggle("CONTACT_SVC_NOTIFICATIONS"),
};

/** Parsers of all supported commands, by their names in Nagios. */
export const externalCommandParsers: ReadonlyMap<string, ArgumentsParser> = new Map(
  Object.entries({
    ...results,
    ...acknowledgements,
    ...downtimes,
    ...comments,
    ...notifications,
    ...checks,
    ...toggles,
  }),
);
