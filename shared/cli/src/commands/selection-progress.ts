import { formatShare } from "@realmwatch/shared/text/share-of";
import { counted } from "@realmwatch/shared/view/plural";
import type { CliContext } from "../cli-command.ts";

/**
 * Shows how far a command on a selection is while its answer is awaited. One call answers for all objects, so their rows
 * are counted: how many are acknowledged. The effects of other commands are not counted by the server.
 *
 * @param command name of the RPC
 */
export function followSelection(
  { server, followProgress }: Pick<CliContext, "server" | "followProgress">,
  command: string,
  selector: string,
): void {
  followProgress(async (signal) => {
    const request = { selector, realm: server.realm, pageSize: 1, omitRealms: true };
    const answer = await server.query("listStatus", request, signal);
    if (!answer.ok || answer.value.summary === undefined) return "";
    const { counts, acknowledged } = answer.value.summary;
    const total = counts.reduce((sum, { count }) => sum + count, 0);
    if (command === "acknowledgeProblem") return `${formatShare(acknowledged, total, "objects")} acknowledged`;
    return `no answer yet for ${counted(total, "object")}`;
  });
}
