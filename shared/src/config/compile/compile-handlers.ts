import { never } from "../../model/never.ts";
import type { HandlerPlan, RealmPlan } from "../plan.ts";
import type { HandlerDocument } from "../schema/handler.ts";
import { validateCall } from "./compile-commands.ts";
import { type CompileContext, requireDeclared } from "./compile-context.ts";

export function compileHandlers(c: CompileContext): ReadonlyMap<string, HandlerPlan> {
  const plans = new Map<string, HandlerPlan>();
  for (const [name, handler] of c.document.handlers) {
    if (handler === undefined) continue;
    if (handler.type === "command") validateCall(c, handler, ["handlers", name]);
    plans.set(name, { run: programOf(handler), timeoutMs: handler.timeout });
  }
  return plans;
}

function programOf(handler: HandlerDocument): HandlerPlan["run"] {
  const { args } = handler;
  switch (handler.type) {
    case "command":
      return { type: "command", command: handler.command, args };
    case "legacy":
      return { type: "legacy", path: handler.path, args };
    case "wasm":
      return { type: "wasm", module: handler.module, args };
    default:
      return never(handler);
  }
}

export function compileEventHandlers(c: CompileContext): RealmPlan["eventHandlers"] {
  const { host, service } = c.document.event_handlers;
  requireDeclared(c, "handlers", host, ["event_handlers", "host"]);
  requireDeclared(c, "handlers", service, ["event_handlers", "service"]);
  return c.document.event_handlers;
}
