import { ok, type Result } from "@realmwatch/shared/model/result";
import { formatShare } from "@realmwatch/shared/text/share-of";
import type { CliContext } from "../cli-command.ts";
import type { CliFailure } from "../output/cli-failure.ts";
import type { CliOutput } from "../output/cli-output.ts";

type Deletion = Pick<CliContext, "progress"> & {
  /** Kind of the entries in messages: `downtime`, `comment`. */
  readonly what: string;
  delete(id: string): Promise<Result<unknown, CliFailure>>;
};

/** Deletes entries one by one. A failed one does not stop the others, except for wrong usage. */
export async function deleteEach(ids: readonly string[], deletion: Deletion): Promise<Result<CliOutput, CliFailure>> {
  const deleted: string[] = [];
  const failures: string[] = [];
  for (const [at, id] of ids.entries()) {
    deletion.progress(formatShare(at, ids.length, `${deletion.what}s`));
    const answer = await deletion.delete(id);
    if (answer.ok) deleted.push(id);
    else if (ids.length === 1 || answer.error.code === 2) return answer;
    else failures.push(...answer.error.lines);
  }
  return ok({
    json: { deleted },
    text: () => deleted.map((id) => `deleted ${deletion.what} ${id}`).join("\n"),
    ids: deleted,
    failures,
  });
}
