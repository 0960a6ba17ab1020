import { sleep } from "@realmwatch/shared/model/clock";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { formatDuration, parseDuration } from "@realmwatch/shared/text/duration";
import { cliCommand } from "../../cli-command.ts";
import { answerTooLarge } from "../../connection/answer-text.ts";
import type { ServerClient } from "../../connection/server-client.ts";
import { type CliFailure, commandFailed, wrongUsage } from "../../output/cli-failure.ts";
import { type Colour, formatTable, type Screen, type TextColumn } from "../../output/table.ts";
import { type CapacityLevel, type CapacityReport, type CapacityResource, measureCapacity } from "./measure-capacity.ts";
import { type MetricSamples, parseMetricSamples } from "./metric-samples.ts";

/** Limits of the time between the two scrapes, ms. */
const sampling = { fallbackMs: 10_000, minimumMs: 1_000, maximumMs: 3_600_000 } as const;
/** Maximum time of a scrape, ms. */
const scrapeTimeoutMs = 30_000;

const colours: Readonly<Record<CapacityLevel, Colour>> = { ok: "green", warning: "yellow", critical: "red" };

const columns: readonly TextColumn<CapacityResource>[] = [
  { title: "RESOURCE", cell: ({ name }) => name, flexible: true },
  { title: "USED", cell: ({ used, unit }) => formatAmount(used, unit) },
  { title: "LIMIT", cell: ({ limit, unit }) => formatAmount(limit, unit) },
  { title: "SHARE", cell: ({ share }) => formatShare(share) },
  { title: "STATE", cell: ({ level }) => ({ text: level.toUpperCase(), colour: colours[level] }) },
];

const formatShare = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

function formatAmount(value: number, unit: CapacityResource["unit"]): string {
  if (unit === "s") return value < 1 ? `${(value * 1_000).toFixed(1)} ms` : `${value.toFixed(1)} s`;
  if (unit === "") return String(Math.round(value * 100) / 100);
  const power = value < 1_024 ? 0 : Math.min(4, Math.floor(Math.log2(value) / 10));
  return `${(value / 1_024 ** power).toFixed(power === 0 ? 0 : 1)} ${["B", "KiB", "MiB", "GiB", "TiB"][power]}`;
}

function summaryLines({ objects, resources, checksPerSecond, maxChecksPerSecond, processorCores }: CapacityReport) {
  const [tightest] = resources;
  const most = maxChecksPerSecond === undefined ? "" : `, ${Math.floor(maxChecksPerSecond)} occupy all slots`;
  return [
    `${objects} objects`,
    checksPerSecond === undefined ? "" : `${checksPerSecond.toFixed(1)} checks per second${most}`,
    processorCores === undefined ? "" : `${processorCores.toFixed(2)} cores in use`,
    tightest === undefined ? "no limits were found" : `tightest: ${tightest.name}, ${formatShare(tightest.share)}`,
  ].filter((line) => line !== "");
}

const formatReport = (report: CapacityReport, screen: Screen): string =>
  `${formatTable(columns, report.resources, screen)}\n\n${summaryLines(report).join("; ")}`;

async function scrape(server: ServerClient): Promise<Result<MetricSamples, CliFailure>> {
  const url = `${server.url}/metrics`;
  try {
    const { status, body } = await server.page("/metrics", scrapeTimeoutMs);
    if (status === 404)
      return commandFailed(`${url} does not exist: with -metrics-listen, give that address as -server`);
    if (status !== 200) return commandFailed(`${url} answered with HTTP ${status}`);
    if (body === undefined) return commandFailed(`${url} ${answerTooLarge}`);
    const samples = parseMetricSamples(body);
    const isOurs = samples.some(({ name }) => name === "realmwatch_build_info");
    return isOurs ? ok(samples) : commandFailed(`${url} has no metrics of realmwatch: is -server right?`);
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    const why = name === "AbortError" ? `no answer within ${formatDuration(scrapeTimeoutMs)}` : code;
    return commandFailed(`${url} cannot be read: ${why ?? "the connection failed"}`);
  }
}

function readSampling(text: string | undefined): Result<number, string> {
  if (text === undefined) return ok(sampling.fallbackMs);
  const ms = parseDuration(text);
  if (!ms.ok) return fail(`-for: ${JSON.stringify(text)} ${ms.error}`);
  return ms.value < sampling.minimumMs || ms.value > sampling.maximumMs
    ? fail(`-for: ${JSON.stringify(text)} must be from 1s to 1h`)
    : ms;
}

export const capacityCliCommand = cliCommand({
  path: "capacity",
  args: [],
  summary: "Compare the load of the server with its limits, the tightest resource first.",
  flags: { for: { help: "Time over which the load is measured; 10s by default.", placeholder: "DURATION" } },
  async run({ flags, context: { server, clock } }) {
    const forMs = readSampling(flags.for);
    if (!forMs.ok) return wrongUsage(forMs.error);
    const before = await scrape(server);
    if (!before.ok) return before;
    const beganAtMs = clock.monotonic();
    await sleep(clock, forMs.value);
    const after = await scrape(server);
    if (!after.ok) return after;
    const seconds = (clock.monotonic() - beganAtMs) / 1_000;
    const report = measureCapacity({ before: before.value, after: after.value, seconds });
    return ok({
      json: { server: server.url, seconds, ...report },
      list: "resources",
      text: (screen) => formatReport(report, screen),
      ids: report.resources.map(({ name }) => name),
    });
  },
});
