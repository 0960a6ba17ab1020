import { toJson } from "@bufbuild/protobuf";
import { ApplyConfigResponseSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { attachedTo } from "../attached.ts";
import { cliCommand, type Desk } from "../cli-command.ts";
import { configFailure } from "../config-failure.ts";
import { readDocument } from "../document-file.ts";
import { type Failure, misuse, problem } from "../failure.ts";
import { done } from "./target-command.ts";

/**
 * Tells which objects and declarations the document touches, and what people attached that goes with them. Where that
 * cannot be worked out it says so, and that is all: the server's own judgement comes with the application.
 */
async function tellBlastRadius(desk: Desk, { served, file }: { served: string; file: string }): Promise<void> {
  const { server } = desk;
  const info = await server.info();
  const realm = server.realm || (info.ok ? info.value.realm : "");
  const status = await server.query("listStatus", { realm });
  const attached = status.ok ? attachedTo(status.value.rows) : {};
  const args = ["blast-radius", ...(realm === "" ? [] : [`-realm=${realm}`]), file];
  const radius = await desk.runAgent({ args, input: JSON.stringify({ cue: served, attached }), capture: true });
  desk.tell(radius.code === 0 ? radius.stdout.trimEnd() : "what the document changes could not be worked out");
}

/** Whether to go on: with `-yes`, or as whoever sits at the terminal says. */
async function mayApply(
  desk: Desk,
  { yes, file }: { yes: boolean; file: string },
): Promise<Result<undefined, Failure>> {
  if (yes) return ok(undefined);
  if (desk.confirm === undefined) return misuse("nothing was applied: -yes is needed where nobody can be asked");
  const isMeant = await desk.confirm(`Apply ${file} to ${desk.server.url}?`);
  return isMeant ? ok(undefined) : problem("nothing was applied");
}

export const applyConfigCommand = cliCommand({
  path: "config apply",
  words: ["FILE"],
  about: "Have the server run on FILE, after showing what that changes and asking.",
  flags: { yes: { help: "Does not ask." } },
  async run({ words: [file = ""], flags: { yes }, desk }) {
    const document = await readDocument(file);
    if (!document.ok) return document;
    const cue = document.value;
    const valid = await desk.server.admin("validateConfig", { cue });
    if (!valid.ok) return fail(configFailure(valid.error, file));
    const served = await desk.server.admin("getConfig", {});
    if (!served.ok) return served;
    if (served.value.cue === cue) return ok(done(`${desk.server.url} runs on ${file} already`));
    await tellBlastRadius(desk, { served: served.value.cue, file });
    const allowed = await mayApply(desk, { yes, file });
    if (!allowed.ok) return allowed;
    const applied = await desk.server.admin("applyConfig", { cue });
    if (!applied.ok) return fail(configFailure(applied.error, file));
    return ok({
      json: toJson(ApplyConfigResponseSchema, applied.value),
      text: () => `${desk.server.url} now runs on ${file}`,
      ids: [],
    });
  },
});
