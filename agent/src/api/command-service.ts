import type { Message } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import type { AnyCommandKind, AnyCommandMethod } from "@realmwatch/shared/commands/command-kind";
import type { ResolutionContext } from "@realmwatch/shared/commands/command-realm";
import { type Command, commandKinds } from "@realmwatch/shared/commands/commands";
import { matchedObjectsHeader } from "@realmwatch/shared/model/idempotency-key";
import { ok } from "@realmwatch/shared/model/result";
import type { RealmReader } from "../realm/state/realm-reader.ts";
import { CommandExecutor, type CommandExecutorOptions, type ParsedCommand } from "./command-executor.ts";

type CommandServiceOptions = CommandExecutorOptions & {
  readonly realm: RealmReader;
  readonly mintId: () => string;
};

/** CommandService. A success means that the command is on disk and in the engine's queue. */
export function commandService(options: CommandServiceOptions): ServiceImpl<typeof CommandService> {
  const executor = new CommandExecutor(options);
  const handlers = Object.values(commandKinds).map((kind) => [kind.method, handler(kind as never, executor, options)]);
  // The map has an entry for each method.
  return Object.fromEntries(handlers) as ServiceImpl<typeof CommandService>;
}

function handler(kind: AnyCommandKind, executor: CommandExecutor, { realm, clock, mintId }: CommandServiceOptions) {
  const method = CommandService.method[kind.method] as AnyCommandMethod;
  return async (request: Message, context: HandlerContext): Promise<object> => {
    const { ids, matched } = await executor.execute({
      method,
      request,
      context,
      quota: kind.quota ?? "commands",
      parse: () => parse(kind, request, { realm, mintId, nowMs: clock.now() }),
      matched: (command) => kind.matched?.(command, request as never, realm) ?? objectCount(command),
    });
    context.responseHeader.set(matchedObjectsHeader, String(matched));
    return kind.response?.(ids) ?? {};
  };
}

function parse(kind: AnyCommandKind, request: Message, context: ResolutionContext): ParsedCommand {
  const fields = kind.parse(request as never, context);
  return fields.ok ? ok({ kind: kind.kind, ...fields.value } as Command) : fields;
}

/** Number of objects of a command. */
function objectCount(command: Command): number {
  if ("refs" in command) return command.refs.length;
  if ("results" in command) return command.results.length;
  return "ref" in command ? 1 : 0;
}
