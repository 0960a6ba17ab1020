import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { callerOf } from "@realmwatch/shared/api/access/caller";
import { auditedRpcOf } from "@realmwatch/shared/api/audit/audit-rpcs";
import { toConnectError } from "@realmwatch/shared/api/rpc/refusal-to-code";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Command } from "@realmwatch/shared/model/command";
import type { Author } from "../engine/author.ts";
import type { RealmReader } from "../realm/state/realm-reader.ts";
import type { CommandIntake } from "./command-intake.ts";
import * as parse from "./parse-command.ts";
import { parseDeleteDowntime, parseScheduleDowntime } from "./parse-downtime.ts";
import { parseCheckResult, parseCheckResults } from "./parse-results.ts";

export type CommandServiceOptions = {
  readonly realm: RealmReader;
  readonly intake: Pick<CommandIntake, "submit">;
  readonly clock: Clock;
  readonly mintId: () => string;
};

/** Author to record: the authenticated identity, with the author that the request claims as "on behalf of". */
function authorOf(claimed: string, context: HandlerContext): Author {
  const { identity } = callerOf(context);
  if (identity === undefined) return { author: claimed, onBehalfOf: "" };
  return { author: identity.name, onBehalfOf: claimed === identity.name ? "" : claimed };
}

/** CommandService. A success means that the command is on disk and in the engine's queue. */
export function commandService({
  realm,
  intake,
  clock,
  mintId,
}: CommandServiceOptions): ServiceImpl<typeof CommandService> {
  async function submit(parsed: parse.ParsedCommand, claimed: string, context: HandlerContext): Promise<Command> {
    if (!parsed.ok) throw toConnectError(parsed.error);
    const call = auditedRpcOf(context);
    const accepted = await intake.submit(parsed.value, authorOf(claimed, context), call ? [call.accepted()] : []);
    if (!accepted.ok) throw toConnectError(accepted.error);
    if (call) call.recorded = true;
    return parsed.value;
  }
  /** Submits a parsed command and returns the empty response. */
  const take = async (
    parsed: parse.ParsedCommand,
    claimed: string,
    context: HandlerContext,
  ): Promise<Record<string, never>> => {
    await submit(parsed, claimed, context);
    return {};
  };

  return {
    processCheckResult: (request, context) => take(parseCheckResult(realm, request, clock.now()), "", context),
    processCheckResults: (request, context) =>
      take(parseCheckResults(realm, request.results, clock.now()), "", context),
    acknowledgeProblem: (request, context) => take(parse.parseAcknowledge(realm, request), request.author, context),
    removeAcknowledgement: (request, context) =>
      take(
        parse.parseTargeted(realm, request.target, (refs) => ({ kind: "remove_acknowledgement", refs })),
        request.author,
        context,
      ),
    async scheduleDowntime(request, context) {
      const command = await submit(parseScheduleDowntime(realm, request, mintId), request.author, context);
      return { downtimeIds: command.kind === "schedule_downtime" ? command.downtimes.map(({ id }) => id) : [] };
    },
    deleteDowntime: (request, context) => take(parseDeleteDowntime(realm, request), request.author, context),
    sendCustomNotification: (request, context) => {
      const { comment } = request;
      const parsed = parse.parseTargeted(realm, request.target, (refs) => ({
        kind: "send_custom_notification",
        refs,
        comment,
      }));
      return take(parsed, request.author, context);
    },
    setProgramNotifications: (request, context) =>
      take(parse.parseProgramNotifications(request), request.author, context),
    setObjectNotifications: (request, context) =>
      take(parse.parseObjectNotifications(realm, request), request.author, context),
    setContactNotifications: (request, context) =>
      take(parse.parseContactNotifications(realm, request), request.author, context),
    setProgramToggle: (request, context) => take(parse.parseProgramToggle(request), request.author, context),
    setObjectToggle: (request, context) => take(parse.parseObjectToggle(realm, request), request.author, context),
    scheduleCheck: (request, context) =>
      take(
        parse.parseTargeted(realm, request.target, (refs) => ({ kind: "schedule_check", refs })),
        "",
        context,
      ),
    async addComment(request, context) {
      const command = await submit(parse.parseAddComment(realm, request, mintId), request.author, context);
      return { commentId: command.kind === "add_comment" ? command.id : "" };
    },
    deleteComment: (request, context) => take(parse.parseDeleteComment(realm, request), "", context),
  };
}
