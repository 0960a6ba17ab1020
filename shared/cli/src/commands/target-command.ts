import { type MessageInitShape, ScalarType, toJson } from "@bufbuild/protobuf";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { ObjectRefSchema, type Target } from "@realmwatch/proto/svc/v1/common_pb";
import type { StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import type { ExecuteRequest } from "@realmwatch/proto/svc/v1/realm_pb";
import type { CommandWords, TargetWords } from "@realmwatch/shared/commands/command-kind";
import { commandKinds } from "@realmwatch/shared/commands/commands";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { isProblem, statuses } from "@realmwatch/shared/model/status";
import { counted } from "@realmwatch/shared/view/plural";
import { type CliCommand, type CliContext, type CommandFlags, cliCommand } from "../cli-command.ts";
import type { RealmCount } from "../connection/bulk-request.ts";
import { type CliFailure, wrongUsage } from "../output/cli-failure.ts";
import type { CliOutput } from "../output/cli-output.ts";
import { refText, statusCell } from "../output/format-object.ts";
import { formatTable, realmColumns, type TextColumn } from "../output/table.ts";
import { readTarget } from "../parse/read-target.ts";
import { readTimeFlags } from "../parse/read-time.ts";
import { followSelection } from "./selection-progress.ts";

type Commands = typeof CommandService.method;
/** Commands with a target and an empty response. */
type TargetedCommand = Exclude<NonNullable<ExecuteRequest["command"]["case"]>, "scheduleDowntime">;

export const selectorFlag = {
  help: "All objects that the label selector matches, instead of a target.",
  placeholder: "EXPR",
} as const;

const problemsHelp = "All problems among the objects that the label selector matches, instead of a target.";

/** Formats the target for a sentence: `web1!http`, `all objects that match "env=prod"`. */
export function formatTarget({ target }: Target): string {
  if (target.case === "selector") return `all objects that match ${JSON.stringify(target.value)}`;
  if (target.case === "objects") return target.value.objects.map(refText).join(", ");
  return refText(target.value);
}

/** Output of a command with an empty response. @param sentence effect of the command */
export const doneOutput = (sentence: string): CliOutput => ({ json: {}, text: () => sentence, ids: [] });

/** Sentence of the numbers of objects: `3 objects: 2 in ams, 1 in fra`; empty where the server does not say it. */
export function formatCounts(counts: readonly RealmCount[]): string {
  if (counts.length === 0) return "";
  const total = counted(
    counts.reduce((sum, { matched }) => sum + matched, 0),
    "object",
  );
  const inRealms = counts.filter(({ realm }) => realm !== "").map(({ realm, matched }) => `${matched} in ${realm}`);
  return inRealms.length === 0 ? total : `${total}: ${inRealms.join(", ")}`;
}

type OnTarget = {
  /** The argument that names an object; undefined for a selection. */
  readonly word: string | undefined;
  readonly selector: string | undefined;
  readonly context: Pick<CliContext, "server" | "followProgress">;
};

/**
 * Sends a command on a target, for an output with one sentence.
 *
 * @param done makes the sentence from the text of the target
 */
export async function sendToTarget<K extends TargetedCommand>(
  name: K,
  { word, selector, context }: OnTarget,
  fields: Omit<MessageInitShape<Commands[K]["input"]>, "target">,
  done: (target: string) => string,
): Promise<Result<CliOutput, CliFailure>> {
  const target = readTarget(word, selector);
  if (!target.ok) return wrongUsage(target.error);
  const request = { ...fields, target: target.value } as MessageInitShape<Commands[K]["input"]>;
  if (selector !== undefined) followSelection(context, name, selector);
  const answer = await context.server.execute(name, request);
  if (!answer.ok) return answer;
  const counts = selector === undefined ? "" : formatCounts(answer.value.counts);
  return ok(doneOutput(`${done(formatTarget(target.value))}${counts === "" ? "" : ` (${counts})`}`));
}

/** Selector of the problems among the objects that a selector matches. */
const problemsOf = (selector: string): string =>
  `${selector.trim() === "" ? "" : `${selector},`}@status in (${statuses.filter(isProblem).join(",")})`;

/** Output of `-dry-run`: the objects that the command would be sent for. */
async function previewOutput(
  { server }: Pick<CliContext, "server">,
  selector: string,
): Promise<Result<CliOutput, CliFailure>> {
  const answer = await server.query("listStatus", { selector, realm: server.realm, sort: "name", omitRealms: true });
  if (!answer.ok) return answer;
  const { rows } = answer.value;
  const counts = [...Map.groupBy(rows, ({ realm }) => realm)].map(([realm, own]) => ({ realm, matched: own.length }));
  const columns: TextColumn<StatusRow>[] = [
    ...realmColumns(rows, ({ realm }) => realm),
    { title: "OBJECT", cell: ({ object }) => refText(object), flexible: true },
    { title: "STATUS", cell: ({ status }) => statusCell(status) },
    { title: "OUTPUT", cell: ({ output }) => output, flexible: true },
  ];
  return ok({
    json: rows.map(({ realm, object }) => ({
      ...(realm === "" ? {} : { realm }),
      ...(object === undefined ? {} : { object: toJson(ObjectRefSchema, object) }),
    })),
    text: (screen) =>
      rows.length === 0 ? "no object matches" : `${formatTable(columns, rows, screen)}\n${formatCounts(counts)}`,
    ids: rows.map(({ object }) => refText(object)),
  });
}

function targetCliCommand(
  name: TargetedCommand,
  { path, summary, done, problemsOnly = false }: TargetWords,
  fields: NonNullable<CommandWords["fields"]>,
): CliCommand {
  const known = fieldFlags(name, fields);
  return cliCommand({
    path,
    args: ["[TARGET]"],
    summary,
    flags: {
      ...Object.fromEntries(known.map(({ name, flag }) => [name, flag])),
      selector: problemsOnly ? { ...selectorFlag, help: problemsHelp } : selectorFlag,
      "dry-run": { help: "List the objects that -selector selects, and send nothing." },
    } as CommandFlags,
    async run({ args: [word], flags, context }) {
      const { "dry-run": isDryRun, ...given } = flags as object as Readonly<Record<string, string | undefined>>;
      const { selector: text } = given;
      const selector = text !== undefined && problemsOnly ? problemsOf(text) : text;
      if (isDryRun) {
        if (selector === undefined || word !== undefined) return wrongUsage("-dry-run needs -selector, and no target");
        return previewOutput(context, selector);
      }
      const times = readTimeFlags(
        known.filter(({ isTime }) => isTime).map(({ name }) => name),
        given,
        context,
        "future",
      );
      if (!times.ok) return wrongUsage(times.error);
      const values: Readonly<Record<string, unknown>> = { ...given, ...times.value };
      const request = known.map(({ name, field }) => [field, values[name]]).filter(([, value]) => value !== undefined);
      return sendToTarget(name, { word, selector, context }, Object.fromEntries(request), done);
    },
  });
}

type FieldFlag = {
  readonly name: string;
  readonly field: string;
  readonly isTime: boolean;
  readonly flag: CommandFlags[string];
};

/** Flags of the fields that words explain: switches, required texts, and times without `At`: `expiresAt` is `-expires`. */
const fieldFlags = (command: TargetedCommand, words: Readonly<Record<string, string>>): readonly FieldFlag[] =>
  CommandService.method[command].input.fields.flatMap(({ localName: field, fieldKind, scalar }): FieldFlag[] => {
    const help = words[field];
    if (help === undefined) return [];
    if (fieldKind === "message")
      return [{ name: field.replace(/At$/, ""), field, isTime: true, flag: { help, placeholder: "TIME" } }];
    const flag = scalar === ScalarType.BOOL ? { help } : ({ help, placeholder: "TEXT", required: true } as const);
    return [{ name: field, field, isTime: false, flag }];
  });

/** Commands on a target, from the words of their declarations. */
export const targetCliCommands: readonly CliCommand[] = Object.values(commandKinds).flatMap(({ method, words }) => {
  const { onTarget, fields = {} }: Partial<CommandWords> = words ?? {};
  return onTarget === undefined ? [] : [targetCliCommand(method as TargetedCommand, onTarget, fields)];
});
