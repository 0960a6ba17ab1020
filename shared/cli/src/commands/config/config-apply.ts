import { toJson } from "@bufbuild/protobuf";
import { ApplyConfigResponseSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import { fail, ok } from "@realmwatch/shared/model/result";
import { type CliContext, cliCommand, confirmed } from "../../cli-command.ts";
import { doneOutput } from "../target-command.ts";
import { attachedTo } from "./attached.ts";
import { configFailure } from "./config-failure.ts";
import { readDocumentFile } from "./document-file.ts";

/**
 * Reports the objects and declarations that the document changes, and the acknowledgements, downtimes and comments that
 * are removed with them. A failure is reported and does not stop the command: the server checks the document itself.
 */
async function reportBlastRadius(
  context: CliContext,
  { served, file }: { served: string; file: string },
): Promise<void> {
  const { server } = context;
  const info = await server.info();
  const realm = server.realm || (info.ok ? info.value.realm : "");
  const status = await server.query("listStatus", { realm });
  const attached = status.ok ? attachedTo(status.value.rows) : {};
  const args = ["blast-radius", ...(realm === "" ? [] : [`-realm=${realm}`]), file];
  const radius = await context.runAgent({ args, input: JSON.stringify({ cue: served, attached }), capture: true });
  context.report(radius.code === 0 ? radius.stdout.trimEnd() : "the changes of the document could not be computed");
}

export const applyConfigCliCommand = cliCommand({
  path: "config apply",
  args: ["FILE"],
  summary: "Apply FILE to the server, after showing the changes and asking for confirmation.",
  flags: { yes: { help: "Apply without confirmation." } },
  async run({ args: [file = ""], flags: { yes }, context }) {
    const document = await readDocumentFile(file);
    if (!document.ok) return document;
    const cue = document.value;
    const valid = await context.server.admin("validateConfig", { cue });
    if (!valid.ok) return fail(configFailure(valid.error, file));
    const served = await context.server.admin("getConfig", {});
    if (!served.ok) return served;
    if (served.value.cue === cue) return ok(doneOutput(`${context.server.url} already runs on ${file}`));
    await reportBlastRadius(context, { served: served.value.cue, file });
    const question = `Apply ${file} to ${context.server.url}?`;
    const allowed = yes ? ok(undefined) : await confirmed(context, question, "nothing was applied");
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
