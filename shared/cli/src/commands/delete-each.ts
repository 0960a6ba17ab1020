import { ok, type Result } from "@realmwatch/shared/model/result";
import type { CommandFailure } from "../output/command-failure.ts";
import type { CommandOutput } from "../output/command-output.ts";

type Deletion = {
  /** `downtime`, `comment`. */
  readonly what: string;
  delete(id: string): Promise<Result<unknown, CommandFailure>>;
};

/** Deletes one after the other. One that fails does not keep the rest; a call that is wrong for all does. */
export async function deleteEach(
  ids: readonly string[],
  deletion: Deletion,
): Promise<Result<CommandOutput, CommandFailure>> {
  const deleted: string[] = [];
  const troubles: string[] = [];
  for (const id of ids) {
    const answer = await deletion.delete(id);
    if (answer.ok) deleted.push(id);
    else if (ids.length === 1 || answer.error.code === 2) return answer;
    else troubles.push(...answer.error.lines);
  }
  return ok({
    json: { deleted },
    text: () => deleted.map((id) => `deleted ${deletion.what} ${id}`).join("\n"),
    ids: deleted,
    troubles,
  });
}
