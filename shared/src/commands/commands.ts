import type { Author } from "../model/author.ts";
import { acknowledgeProblemCommand } from "./acknowledge-problem.ts";
import { addCommentCommand } from "./add-comment.ts";
import { addNoteCommand } from "./add-note.ts";
import type { AnnotationChange, AnyCommandKind, CommandKind, CommandMethod } from "./command-kind.ts";
import { deleteCommentCommand } from "./delete-comment.ts";
import { deleteDowntimeCommand } from "./delete-downtime.ts";
import { processCheckResultCommand, processCheckResultsCommand } from "./process-check-results.ts";
import { removeAcknowledgementCommand } from "./remove-acknowledgement.ts";
import { scheduleCheckCommand } from "./schedule-check.ts";
import { scheduleDowntimeCommand } from "./schedule-downtime.ts";
import { sendCustomNotificationCommand } from "./send-custom-notification.ts";
import { setContactNotificationsCommand } from "./set-contact-notifications.ts";
import { setObjectNotificationsCommand, setObjectToggleCommand } from "./set-object-toggle.ts";
import { setProgramNotificationsCommand, setProgramToggleCommand } from "./set-program-toggle.ts";
import { deleteViewCommand } from "./views/delete-view.ts";
import { saveViewCommand } from "./views/save-view.ts";

/**
 * Every command by its method of CommandService. Service, journal, engine inputs, limits and the command file follow
 * from this map.
 */
export const commandKinds = {
  processCheckResult: processCheckResultCommand,
  processCheckResults: processCheckResultsCommand,
  acknowledgeProblem: acknowledgeProblemCommand,
  removeAcknowledgement: removeAcknowledgementCommand,
  scheduleDowntime: scheduleDowntimeCommand,
  deleteDowntime: deleteDowntimeCommand,
  sendCustomNotification: sendCustomNotificationCommand,
  setProgramNotifications: setProgramNotificationsCommand,
  setObjectNotifications: setObjectNotificationsCommand,
  setContactNotifications: setContactNotificationsCommand,
  setProgramToggle: setProgramToggleCommand,
  setObjectToggle: setObjectToggleCommand,
  scheduleCheck: scheduleCheckCommand,
  addComment: addCommentCommand,
  deleteComment: deleteCommentCommand,
  addNote: addNoteCommand,
  saveView: saveViewCommand,
  deleteView: deleteViewCommand,
} satisfies { readonly [M in CommandMethod]: { readonly method: M } };

type Kinds = typeof commandKinds;

/**
 * A validated and resolved command: selectors are replaced by references (`refs`), ids are generated, defaults are
 * filled in. Applying it needs only the plan and the state. The journal stores it as JSON.
 */
export type Command = {
  [M in CommandMethod]: Kinds[M] extends CommandKind<M, infer K, infer F, infer _>
    ? { readonly kind: K } & Readonly<F>
    : never;
}[CommandMethod];

/** One effect of a command: an engine input for an object, a check request, or a change of the realm. */
export type CommandEffect = ReturnType<Kinds[CommandMethod]["effects"]>[number];

/** A command as stored in the journal. `seq` counts accepted commands from 1, without gaps. */
export type AcceptedCommand = Author & {
  readonly seq: number;
  readonly atMs: number;
  readonly command: Command;
};

const byKind = new Map<string, AnyCommandKind>(Object.values(commandKinds).map((kind) => [kind.kind, kind as never]));

function kindOf(command: Command): AnyCommandKind {
  const kind = byKind.get(command.kind);
  if (kind === undefined) throw new TypeError(`command kind ${command.kind} is unknown`);
  return kind;
}

/** Splits a command into its effects, in the order in which they are applied. */
export function commandEffects({ command, author, onBehalfOf, atMs }: AcceptedCommand): readonly CommandEffect[] {
  // The map pairs each kind with its command, which the compiler cannot follow through an index.
  return kindOf(command).effects(command, { by: { author, onBehalfOf }, atMs }) as readonly CommandEffect[];
}

/** Comments or downtimes that a command adds or deletes; undefined for the commands that do neither. */
export const annotationChange = (command: Command): AnnotationChange | undefined =>
  kindOf(command).annotations?.(command);

/** Ids of the comments, downtimes or notes that a command creates. */
export function createdIds(command: Command): readonly string[] {
  const { ids, annotations } = kindOf(command);
  const added = annotations?.(command);
  return ids?.(command) ?? (added?.change === "add" ? added.entries.map(({ id }) => id) : []);
}

/** Command that a `toggle` record of the realm is about; undefined for an output that no command has. */
export function recordedCommand(output: string): Command | undefined {
  for (const { kind, recorded } of byKind.values()) {
    const fields = recorded?.(output);
    if (fields !== undefined) return { kind, ...fields } as Command;
  }
  return undefined;
}
