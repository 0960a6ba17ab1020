import { toJson } from "@bufbuild/protobuf";
import { ApplyConfigResponseSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { type CommandContext, cliCommand } from "../../cli-command.ts";
import { type CommandFailure, commandFailed, wrongUsage } from "../../output/command-failure.ts";
import { doneOutput } from "../target-command.ts";
import { attachedTo } from "./attached.ts";
import { configFailure } from "./config-failure.ts";
import { readDocumentFile } from "./document-file.ts";

/**
 * Tells which objects and declarations the document touches, and what people attached that goes with them. Where that
 * cannot be worked out it says so, and that is all: the server's own judgement comes with the application.
 */
async function tellBlastRadius(
  desk: CommandContext,
  { served, file }: { served: string; file: string },
): Promise<void> {
  const { server } = desk;
  const info = await server.info();
  const realm = server.realm || (info.ok ? info.value.realm : "");
  const status = await server.query("listStatus", { realm });
  const attached = status.ok ? attachedTo(status.value.rows) : {};
  const args = ["blast-radius", ...(realm === "" ? [] : [`-realm=${realm}`]), file];
  const radius = await desk.runAgent({ args, input: JSON.stringify({ cue: served, attached }), capture: true });
  desk.report(radius.code === 0 ? radius.stdout.trimEnd() : "what the document changes could not be worked out");
}

/** Whether to go on: with `-yes`, or as whoever sits at the terminal says. */
async function mayApply(
  desk: CommandContext,
  { yes, file }: { yes: boolean; file: string },
): Promise<Result<undefined, CommandFailure>> {
  if (yes) return ok(undefined);
  if (desk.confirm === undefined) return wrongUsage("nothing was applied: -yes is needed where nobody can be asked");
  const isMeant = await desk.confirm(`Apply ${file} to ${desk.server.url}?`);
  return isMeant ? ok(undefined) : commandFailed("nothing was applied");
}

export const applyConfigCliCommand = cliCommand({
  path: "config apply",
  args: ["FILE"],
  summary: "Have the server run on FILE, after showing what that changes and asking.",
  flags: { yes: { help: "Does not ask." } },
  async run({ args: [file = ""], flags: { yes }, context }) {
    const document = await readDocumentFile(file);
    if (!document.ok) return document;
    const cue = document.value;
    const valid = await context.server.admin("validateConfig", { cue });
    if (!valid.ok) return fail(configFailure(valid.error, file));
    const served = await context.server.admin("getConfig", {});
    if (!served.ok) return served;
    if (served.value.cue === cue) return ok(doneOutput(`${context.server.url} runs on ${file} already`));
    await tellBlastRadius(context, { served: served.value.cue, file });
    const allowed = await mayApply(context, { yes, file });
    if (!allowed.ok) return allowed;
    const applied = await context.server.admin("applyConfig", { cue });
    if (!applied.ok) return fail(configFailure(applied.error, file));
    return ok({
      json: toJson(ApplyConfigResponseSchema, applied.value),
      text: () => `${context.server.url} now runs on ${file}`,
      ids: [],
    });
  },
});
