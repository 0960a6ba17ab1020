import type { DescMessage, DescMethodUnary, MessageShape } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import type { Target } from "@realmwatch/proto/svc/v1/common_pb";
import type { Command } from "@realmwatch/shared/model/command";
import { matchedObjectsHeader } from "@realmwatch/shared/model/idempotency-key";
import type { RealmReader } from "../realm/state/realm-reader.ts";
import { CommandExecutor, type CommandExecutorOptions } from "./command-executor.ts";
import * as parse from "./parse-command.ts";
import { parseDeleteDowntime, parseScheduleDowntime } from "./parse-downtime.ts";
import { parseCheckResult, parseCheckResults } from "./parse-results.ts";
import { resolveTarget } from "./resolve-target.ts";

type CommandServiceOptions = CommandExecutorOptions & {
  readonly realm: RealmReader;
  readonly mintId: () => string;
};

type Method<I extends DescMessage> = DescMethodUnary<I, DescMessage>;

/** CommandService. A success means that the command is on disk and in the engine's queue. */
export function commandService(options: CommandServiceOptions): ServiceImpl<typeof CommandService> {
  const { realm, clock, mintId } = options;
  const executor = new CommandExecutor(options);

  /** Serves a method. Returns the ids that its command created. */
  const idsFrom =
    <I extends DescMessage>(method: Method<I>, read: (request: MessageShape<I>) => parse.ParsedCommand) =>
    async (request: MessageShape<I>, context: HandlerContext): Promise<readonly string[]> => {
      const call = { method, request, context, parse: () => read(request) };
      const { ids, matched } = await executor.execute({ ...call, matched: (one) => matchedBy(realm, one, request) });
      context.responseHeader.set(matchedObjectsHeader, String(matched));
      return ids;
    };
  /** Serves a method whose response is empty. */
  const serve = <I extends DescMessage>(method: Method<I>, read: (request: MessageShape<I>) => parse.ParsedCommand) => {
    const handle = idsFrom(method, read);
    return async (request: MessageShape<I>, context: HandlerContext): Promise<Record<string, never>> => {
      await handle(request, context);
      return {};
    };
  };
  /** Serves a method whose only argument is its target. */
  const targeted = (target: Target | undefined, make: (refs: readonly string[]) => Command): parse.ParsedCommand =>
    parse.parseTargeted(realm, target, make);

  const { method } = CommandService;
  const scheduleDowntime = idsFrom(method.scheduleDowntime, (request) => parseScheduleDowntime(realm, request, mintId));
  const addComment = idsFrom(method.addComment, (request) => parse.parseAddComment(realm, request, mintId));
  return {
    processCheckResult: serve(method.processCheckResult, (request) => parseCheckResult(realm, request, clock.now())),
    processCheckResults: serve(method.processCheckResults, ({ results }) =>
      parseCheckResults(realm, results, clock.now()),
    ),
    acknowledgeProblem: serve(method.acknowledgeProblem, (request) => parse.parseAcknowledge(realm, request)),
    removeAcknowledgement: serve(method.removeAcknowledgement, ({ target }) =>
      targeted(target, (refs) => ({ kind: "remove_acknowledgement", refs })),
    ),
    scheduleDowntime: async (request, context) => ({ downtimeIds: [...(await scheduleDowntime(request, context))] }),
    deleteDowntime: serve(method.deleteDowntime, (request) => parseDeleteDowntime(realm, request)),
    sendCustomNotification: serve(method.sendCustomNotification, ({ target, comment }) =>
      targeted(target, (refs) => ({ kind: "send_custom_notification", refs, comment })),
    ),
    setProgramNotifications: serve(method.setProgramNotifications, parse.parseProgramNotifications),
    setObjectNotifications: serve(method.setObjectNotifications, (request) =>
      parse.parseObjectNotifications(realm, request),
    ),
    setContactNotifications: serve(method.setContactNotifications, (request) =>
      parse.parseContactNotifications(realm, request),
    ),
    setProgramToggle: serve(method.setProgramToggle, parse.parseProgramToggle),
    setObjectToggle: serve(method.setObjectToggle, (request) => parse.parseObjectToggle(realm, request)),
    scheduleCheck: serve(method.scheduleCheck, ({ target }) =>
      targeted(target, (refs) => ({ kind: "schedule_check", refs })),
    ),
    addComment: async (request, context) => ({ commentId: (await addComment(request, context))[0] ?? "" }),
    deleteComment: serve(method.deleteComment, (request) => parse.parseDeleteComment(realm, request)),
  };
}

/** Number of objects that the target of a command matched; services that come with their host do not count. */
function matchedBy(realm: RealmReader, command: Command, request: object): number {
  if (command.kind === "schedule_downtime") {
    const { target, includeServices } = request as { target?: Target; includeServices?: boolean };
    if (includeServices !== true) return command.downtimes.length;
    const records = resolveTarget(realm, target);
    return records.ok ? records.value.length : 0;
  }
  if ("refs" in command) return command.refs.length;
  if (command.kind === "process_check_results") return command.results.length;
  return "ref" in command ? 1 : 0;
}
