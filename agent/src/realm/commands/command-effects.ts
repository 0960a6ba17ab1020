import type { AcceptedCommand } from "@realmwatch/shared/model/command";
import type { Downtime, DowntimeShape } from "@realmwatch/shared/model/downtime";
import { never } from "@realmwatch/shared/model/never";
import type { ProgramToggles } from "@realmwatch/shared/model/toggles";
import type { ObjectInput } from "../../engine/input.ts";

/** One effect of a command: an engine input for an object, a check request, or a change of a realm or contact toggle. */
export type CommandEffect =
  | { readonly kind: "object"; readonly ref: string; readonly input: ObjectInput }
  | { readonly kind: "check"; readonly ref: string }
  | { readonly kind: "program"; readonly toggle: keyof ProgramToggles; readonly enabled: boolean }
  | { readonly kind: "contact"; readonly contact: string; readonly enabled: boolean };

type DowntimeCommand = Extract<AcceptedCommand["command"], { kind: "schedule_downtime" }>;

function shapeOf(shape: DowntimeCommand["shape"]): DowntimeShape {
  return shape.kind === "fixed" ? shape : { ...shape, active: undefined };
}

const toObjects = (refs: readonly string[], input: ObjectInput): CommandEffect[] =>
  refs.map((ref) => ({ kind: "object", ref, input }));

/** Splits a command into its effects, in the order in which they are applied. */
export function commandEffects({ command, author, onBehalfOf, atMs }: AcceptedCommand): readonly CommandEffect[] {
  const by = { author, onBehalfOf };
  switch (command.kind) {
    case "process_check_results":
      return command.results.map(({ ref, checkSource, ...result }) => ({
        kind: "object",
        ref,
        input: { kind: "result", result: { ...result, latencyMs: undefined, source: checkSource, origin: "passive" } },
      }));
    case "acknowledge_problem": {
      const { sticky, comment, notify, expiresAtMs } = command;
      const acknowledgement = { ...by, comment, sticky, atMs, expiresAtMs };
      return toObjects(command.refs, { kind: "acknowledge", acknowledgement, notify });
    }
    case "remove_acknowledgement":
      return toObjects(command.refs, { kind: "remove_acknowledgement", by });
    case "schedule_downtime":
      return command.downtimes.map(({ id, ref }) => {
        const { startMs, endMs, comment } = command;
        const downtime: Downtime = {
          id,
          shape: shapeOf(command.shape),
          startMs,
          endMs,
          ...by,
          comment,
          inEffect: false,
        };
        return { kind: "object", ref, input: { kind: "schedule_downtime", downtime } };
      });
    case "delete_downtime":
      return toObjects([command.ref], { kind: "delete_downtime", id: command.id, by });
    case "send_custom_notification":
      return toObjects(command.refs, { kind: "custom_notification", comment: command.comment, by });
    case "set_program_notifications":
      return [{ kind: "program", toggle: "notifications", enabled: command.enabled }];
    case "set_program_toggle":
      return [{ kind: "program", toggle: command.toggle, enabled: command.enabled }];
    case "set_contact_notifications":
      return [{ kind: "contact", contact: command.contact, enabled: command.enabled }];
    case "set_object_notifications":
      return toObjects(command.refs, { kind: "set_toggle", toggle: "notifications", enabled: command.enabled, by });
    case "set_object_toggle":
      return toObjects(command.refs, { kind: "set_toggle", toggle: command.toggle, enabled: command.enabled, by });
    case "schedule_check":
      return command.refs.map((ref) => ({ kind: "check", ref }));
    case "add_comment":
      return toObjects([command.ref], {
        kind: "add_comment",
        comment: { id: command.id, ...by, text: command.text, atMs },
      });
    case "delete_comment":
      return toObjects([command.ref], { kind: "delete_comment", id: command.id, by });
    default:
      return never(command);
  }
}
