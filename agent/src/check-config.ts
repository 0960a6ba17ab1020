import { existsSync } from "node:fs";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { lintPlan } from "@realmwatch/shared/config/lint/lint-plan";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { countObjects } from "@realmwatch/shared/config/plan-catalog";
import { type Loader, type LoadPlanOptions, loadPlan } from "@realmwatch/shared/load/load-document";
import { readSource } from "@realmwatch/shared/load/read-source";
import type { EvaluatorProgram, StageReport } from "@realmwatch/shared/load/worker-messages";
import type { Clock } from "@realmwatch/shared/model/clock";
import { type Diagnostic, formatDiagnostic } from "@realmwatch/shared/model/diagnostic";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { findCueProgram } from "@realmwatch/shared/platform/cue/engine/find-program";
import type { CueFile } from "@realmwatch/shared/platform/cue/source/source-position";
import type { ProgramExit } from "@realmwatch/shared/platform/process/run-program";
import { counted } from "@realmwatch/shared/view/plural";
import type { AgentFlags } from "./flags.ts";
import { ProgressLine, type Terminal } from "./load-progress/progress-line.ts";
import { StageTimes } from "./load-progress/stage-times.ts";
import { pairTimes } from "./pair/pair-times.ts";
import { isFolder } from "./platform/files/text-file.ts";

type ConfigFlags = Pick<AgentFlags, "config" | "configProfile" | "configTimeout" | "configMemory" | "realm"> &
  Partial<Pick<AgentFlags, "cueCommand">>;

/** Valid configuration with its source: the file's text, or the texts of a folder's files. */
type LoadedConfiguration = {
  readonly plan: RealmPlan;
  readonly document: string;
};

type LoadConfigurationOptions = {
  readonly text?: string | undefined;
  /** Loader that stays open, which loads faster what it has loaded similarly before. Default: one for this load. */
  readonly loader?: Loader | undefined;
} & Pick<LoadPlanOptions, "eager" | "onRequestSent">;

/**
 * Loads the document that the flags name, or `text` in its place. Diagnostics name files as they were given; for a
 * text, which came over the API, they name the file without its folder.
 */
export async function loadConfiguration(
  flags: ConfigFlags,
  clock: Clock,
  options: LoadConfigurationOptions = {},
): Promise<Result<RealmPlan, readonly Diagnostic[]>> {
  const loaded = await loadConfigurationWithSource(flags, clock, options);
  return loaded.ok ? ok(loaded.value.plan) : loaded;
}

/** Like `loadConfiguration`, with the source of the plan. */
export async function loadConfigurationWithSource(
  flags: ConfigFlags,
  clock: Clock,
  { text, loader, ...more }: LoadConfigurationOptions = {},
): Promise<Result<LoadedConfiguration, readonly Diagnostic[]>> {
  const evaluator = await findEvaluator(flags);
  if (!evaluator.ok) return fail([{ message: evaluator.error, file: flags.config ?? "", line: 1, column: 1 }]);
  const order = { ...orderOf(flags, text), evaluator: evaluator.value, ...more };
  const loaded = await (loader === undefined ? loadPlan({ ...order, clock }) : loader.plan(order));
  return loaded.ok ? ok({ plan: loaded.value.value, document: joinSources(loaded.value.files) }) : loaded;
}

/** Reads the text of the document that the flags name, without loading it; undefined when it cannot be read. */
export async function readConfigurationSource({
  config = "",
}: Pick<ConfigFlags, "config">): Promise<string | undefined> {
  const files = await readSource({ kind: "path", path: config }, "given");
  return files.ok ? joinSources(files.value) : undefined;
}

/** The text of a single file, unchanged; several files each after a comment with its name. */
function joinSources(files: readonly CueFile[]): string {
  const [only, ...more] = files;
  if (only !== undefined && more.length === 0) return only.text;
  return files.map(({ name, text }) => `// ${basename(name)}\n${text}`).join("\n");
}

/** Finds the program of `-cue-command`; undefined when the built-in CUE evaluates. */
export async function findEvaluator(flags: ConfigFlags): Promise<Result<EvaluatorProgram | undefined, string>> {
  if (flags.cueCommand === undefined) return ok(undefined);
  const program = await findCueProgram(flags.cueCommand, process.env.PATH ?? "");
  if (!program.ok) return fail(`-cue-command ${program.error}`);
  return ok({ program: program.value, documentFolder: await documentFolderOf(flags) });
}

/** Folder whose other files and modules a document may use; undefined in the demo profile, where it may use none. */
async function documentFolderOf({ config = "", configProfile }: ConfigFlags): Promise<string | undefined> {
  if (configProfile === "demo") return undefined;
  const path = resolve(config);
  return (await isFolder(path)) ? path : dirname(path);
}

function orderOf(flags: ConfigFlags, text?: string): LoadPlanOptions {
  const path = flags.config ?? "";
  return {
    source: text === undefined ? { kind: "path", path } : { kind: "text", text, name: path },
    names: text === undefined ? "given" : "base",
    limits: { timeoutMs: flags.configTimeout, memoryBytes: flags.configMemory, areFlags: true },
    options: {
      realm: flags.realm,
      localZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      profile: flags.configProfile === "demo" ? "demo" : undefined,
    },
  };
}

/**
 * Output and exit code of `-check-config`. Warnings, which `-lint` adds, do not fail it.
 *
 * @param terminal shows how far the check is, if there is one
 */
export async function checkConfiguration(
  flags: ConfigFlags & Pick<AgentFlags, "lint"> & Partial<Pick<AgentFlags, "pair" | "pairLease" | "v">>,
  clock: Clock,
  terminal?: Terminal,
): Promise<ProgramExit> {
  const lint = (plan: RealmPlan) => lintPlan(plan, { nowMs: clock.now(), exists: isThere });
  const evaluator = await findEvaluator(flags);
  if (!evaluator.ok) return unusableEvaluator(evaluator.error);
  const order = { ...orderOf(flags), evaluator: evaluator.value };
  const stages = new StageTimes(() => clock.monotonic());
  const line = terminal && new ProgressLine(terminal, clock);
  const onStage = (report: StageReport): void => {
    stages.enter(report.stage);
    line?.show(report);
  };
  const loading = loadPlan({ ...order, eager: true, lint: flags.lint ? lint : undefined, onStage, clock });
  const loaded = await loading.finally(() => line?.close());
  const times = flags.v ? stages.finish() : [];
  if (!loaded.ok) return { code: 1, lines: [...formatDiagnostics(loaded.error), ...times], requested: true };
  const warnings = loaded.value.warnings.map((each) =>
    formatDiagnostic({ ...each, message: `warning: ${each.message}` }),
  );
  const plan = loaded.value.value;
  const notes = flags.v ? wholeNotes(loaded.value.wholeReason) : [];
  const passedOver = (evaluator.value?.program.passedOver ?? []).map((each) => `warning: -cue-command auto: ${each}`);
  const lines = [...passedOver, ...warnings, ...(await pairWarnings(plan, flags)), ...notes, ...times];
  return { code: 0, lines: [...lines, formatObjectCounts(plan)], requested: true };
}

/** [RL25] Line about the expression for which CUE evaluates a document as a whole. */
const wholeNotes = (reason: Diagnostic | undefined): string[] =>
  reason === undefined
    ? []
    : [formatDiagnostic({ ...reason, message: `note: ${reason.message}, so the document is evaluated as a whole` })];

/** Warnings about a plan that a member of a pair would log. */
async function pairWarnings(plan: RealmPlan, { pair, pairLease }: Partial<AgentFlags>): Promise<string[]> {
  if (pair === undefined || pairLease === undefined) return [];
  // Only a member of a pair needs all types of contacts and sinks here.
  const { cutTimeoutWarnings } = await import("./pair/cut-timeouts.ts");
  return cutTimeoutWarnings(plan, pairTimes(pairLease).longestActionMs).map((warning) => `warning: ${warning}`);
}

/** Exit of a start with a program in `-cue-command` that cannot be used. */
export const unusableEvaluator = (message: string): ProgramExit => ({
  code: 2,
  lines: [`realmwatch-agent: ${message}`],
});

/** True when the file exists. A bare name may also be a program of the search path. */
function isThere(path: string): boolean {
  const folders = path.includes("/") ? [] : (process.env.PATH ?? "").split(delimiter);
  return existsSync(path) || folders.some((folder) => folder !== "" && existsSync(join(folder, path)));
}

/** One line a problem, with their number when there are several. */
export const formatDiagnostics = (diagnostics: readonly Diagnostic[]): string[] => diagnostics.map(formatDiagnostic);

/** Summary that `-check-config` prints for a valid document. */
function formatObjectCounts(plan: RealmPlan): string {
  const { host, service, process } = countObjects(plan);
  return `the configuration holds: ${counted(host, "host")}, ${counted(service, "service")}, ${counted(process, "process")}`;
}
