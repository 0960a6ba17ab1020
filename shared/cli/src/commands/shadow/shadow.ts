import type { Clock } from "@realmwatch/shared/model/clock";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { parseDuration } from "@realmwatch/shared/text/duration";
import { type CliContext, cliCommand } from "../../cli-command.ts";
import { readPasswordFile } from "../../connection/password-file.ts";
import { type CliFailure, commandFailed, wrongUsage } from "../../output/cli-failure.ts";
import { formatTable, type Screen, type TextColumn } from "../../output/table.ts";
import { icingaApi } from "./icinga-api.ts";
import { livestatus } from "./livestatus.ts";
import type { ObservedSystem } from "./observed-object.ts";
import { runShadow, type ShadowReport } from "./run-shadow.ts";
import type { ShadowDifference } from "./state-differences.ts";
import { statusFile } from "./status-file.ts";

const columns: readonly TextColumn<ShadowDifference>[] = [
  { title: "SINCE", cell: ({ since }) => since },
  { title: "UNTIL", cell: ({ until = "" }) => until },
  { title: "OBJECT", cell: ({ object }) => object, flexible: true },
  { title: "KIND", cell: ({ kind }) => kind },
  { title: "OTHER", cell: ({ other }) => other || "-" },
  { title: "AGENT", cell: ({ agent }) => agent || "-" },
  { title: "THERE", cell: ({ circumstances }) => circumstances.join(", "), flexible: true },
];

/** Maximum number of differences that are printed; `-report` and the JSON have all. */
const maxPrinted = 100;

function formatReport(report: ShadowReport, screen: Screen): string {
  const { differences, notifications, submitted, compared, objects, omitted, byDesign } = report;
  const shown = differences.slice(-maxPrinted);
  const table = shown.length === 0 ? [] : [formatTable(columns, shown, screen)];
  const hidden = differences.length - shown.length + omitted;
  return [
    ...table,
    ...(hidden === 0 ? [] : [`and ${hidden} earlier ones`]),
    ...(shown.length === 0 ? [] : [""]),
    `${differences.length + omitted} differences; ${compared} of ${objects} objects compared; ${submitted} results submitted`,
    ...byDesign.map(({ count, why }) => `${count} more by design: ${why}`),
    `problem notifications: ${notifications.other} there, ${notifications.agent} here, ${notifications.paired} of them pairs`,
  ].join("\n");
}

/** Fails unless the server is an agent; prints what makes a comparison useless. */
async function checkAgent({ server, report }: CliContext): Promise<Result<undefined, CliFailure>> {
  const info = await server.info();
  if (!info.ok) return info;
  const { aggregator, toggles, readOnly } = info.value;
  if (aggregator === true) return commandFailed(`${server.url} is an aggregator: -server must be an agent`);
  if (readOnly === true) return commandFailed(`${server.url} is read-only: results cannot be submitted`);
  if (toggles?.passiveChecksEnabled === false)
    return commandFailed(
      `${server.url} drops submitted results: run realmwatch toggle program passive-checks on, and try again`,
    );
  if (toggles?.activeChecksEnabled === true)
    report(
      "realmwatch: the agent executes checks itself, and objects are compared after the same result only: run realmwatch toggle program active-checks off",
    );
  if (toggles?.notificationsEnabled === false)
    report("realmwatch: notifications of the agent are off, so that none can be compared");
  return ok(undefined);
}

type SystemFlags = Readonly<
  Record<"status-dat" | "livestatus" | "icinga" | "user" | "password-file", string | undefined>
>;

/** The other system; exactly one of three flags must name it. */
function observedSystem(flags: SystemFlags, clock: Clock): Result<ObservedSystem, CliFailure> {
  const { "status-dat": file, livestatus: socket, icinga } = flags;
  const given = [file, socket, icinga].filter((flag) => flag !== undefined);
  if (given.length !== 1)
    return wrongUsage(`one of -status-dat, -livestatus and -icinga is required${given.length > 1 ? ", not more" : ""}`);
  if (icinga !== undefined) return icingaSystem(icinga, flags, clock);
  if (flags.user !== undefined || flags["password-file"] !== undefined)
    return wrongUsage("-user and -password-file belong to -icinga");
  return ok(file !== undefined ? statusFile(file) : livestatus(socket ?? ""));
}

function icingaSystem(
  address: string,
  { user, "password-file": file }: SystemFlags,
  clock: Clock,
): Result<ObservedSystem, CliFailure> {
  const url = URL.parse(address);
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "")
    return wrongUsage("-icinga must be like https://icinga.example.org:5665, without a user and a password in it");
  if (user === undefined || file === undefined)
    return wrongUsage("-icinga needs -user and -password-file, the name and the password of an ApiUser of Icinga 2");
  const password = readPasswordFile(file);
  return password.ok ? ok(icingaApi(url, { user, password: password.value }, clock)) : password;
}

export const shadowCliCommand = cliCommand({
  path: "shadow",
  args: [],
  summary: "Feed an agent with what another monitoring system sees, and report differences.",
  flags: {
    "status-dat": { help: "Status file of Nagios, Naemon or Icinga 1.", placeholder: "FILE" },
    livestatus: { help: "Livestatus socket, instead of -status-dat.", placeholder: "SOCKET" },
    icinga: { help: "REST API of Icinga 2, instead of -status-dat.", placeholder: "URL" },
    user: { help: "ApiUser of Icinga 2.", placeholder: "NAME" },
    "password-file": { help: "File that holds the password of the ApiUser.", placeholder: "PATH" },
    for: {
      help: "Time for which the systems are compared; 168h by default. Ctrl-C ends it earlier.",
      placeholder: "DURATION",
    },
    report: { help: "Where to write the differences, as JSON.", placeholder: "FILE" },
  },
  async run({ flags, context }) {
    const forMs = parseDuration(flags.for ?? "168h");
    if (!forMs.ok) return wrongUsage(`-for: ${JSON.stringify(flags.for)} ${forMs.error}`);
    const other = observedSystem(flags, context.clock);
    if (!other.ok) return other;
    const isAgent = await checkAgent(context);
    if (!isAgent.ok) return isAgent;
    const { server, clock, report, stopSignal } = context;
    const result = await runShadow({
      ...{ server, clock, report, forMs: forMs.value },
      other: other.value,
      reportFile: flags.report,
      stop: stopSignal?.() ?? new AbortController().signal,
    });
    if (!result.ok) return result;
    return ok({
      json: result.value,
      list: "differences",
      text: (screen) => formatReport(result.value, screen),
      ids: [...new Set(result.value.differences.map(({ object }) => object))],
    });
  },
});
