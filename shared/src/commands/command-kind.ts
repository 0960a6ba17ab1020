import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import type { Author } from "../model/author.ts";
import type { ContactMute, SavedView } from "../model/catalog.ts";
import type { Refusal } from "../model/refusal.ts";
import type { Result } from "../model/result.ts";
import type { ProgramToggles } from "../model/toggles.ts";
import type { CommandLine } from "./command-line.ts";
import type { CommandRealm, ResolutionContext } from "./command-realm.ts";

/** Author and time of an accepted command. */
export type Acceptance = { readonly by: Author; readonly atMs: number };

/** One effect of a command: an engine input for an object, a check request, or a change of the realm. */
type Effect =
  | { readonly kind: "object"; readonly ref: string; readonly input: { readonly kind: string } }
  | { readonly kind: "check"; readonly ref: string }
  | { readonly kind: "program"; readonly toggle: keyof ProgramToggles; readonly enabled: boolean }
  | {
      readonly kind: "contact";
      readonly contact: string;
      /** Undefined when the command ends a mute. */
      readonly mute: ContactMute | undefined;
      readonly comment: string;
    }
  | { readonly kind: "view"; readonly name: string; readonly view: SavedView | undefined }
  | { readonly kind: "note"; readonly id: string; readonly text: string };

/** The same input for several objects. */
export const toObjects = <const I extends { readonly kind: string }>(refs: readonly string[], input: I) =>
  refs.map((ref) => ({ kind: "object", ref, input }) as const);

/** Comments or downtimes that a command adds or deletes. */
export type AnnotationChange = {
  readonly of: "comments" | "downtimes";
  readonly change: "add" | "delete";
  readonly entries: readonly { readonly id: string; readonly ref: string }[];
  /** Change that added downtimes belong to. */
  readonly changeId?: string | undefined;
};

type Methods = typeof CommandService.method;
export type CommandMethod = keyof Methods;
type RequestOf<M extends CommandMethod> = MessageShape<Methods[M]["input"]>;

/** Words of a command for people, the same in all clients. */
export type CommandWords<M extends CommandMethod = CommandMethod> = {
  /** Imperative, as on a button: `Acknowledge`. */
  readonly action: string;
  /** Name in notices, as the end of `Accepted: …`: `acknowledgement`. */
  readonly noun: string;
  /** Title of the form for a number of objects. */
  readonly title?: (count: number) => string;
  /** Meaning of fields, one sentence or more each: help of a flag, hint of a form. */
  readonly fields?: { readonly [F in keyof RequestOf<M>]?: string };
  /** Command of `realmwatch` on a target, whose flags are `fields`. */
  readonly onTarget?: TargetWords;
};

export type TargetWords = {
  /** Name with the names of its groups: `ack remove`. */
  readonly path: string;
  /** Sentence for the help. */
  readonly summary: string;
  /** Sentence that is printed after the command. */
  readonly done: (target: string) => string;
  /** True for a command that a selection limits to the problems among its objects. */
  readonly problemsOnly?: boolean;
};

/**
 * Declaration of the command of one method of CommandService. `F` are the fields of the command as the journal stores it
 * beside its kind, as JSON.
 */
type CommandDeclaration<M extends CommandMethod, K extends string, F, E extends Effect> = {
  readonly kind: K;
  /** Validates a request and resolves its names, so that applying the command needs only the plan and the state. */
  parse(request: RequestOf<M>, context: ResolutionContext): Result<NoInfer<F>, Refusal>;
  /** Splits the command into its effects, in the order in which they are applied. */
  effects(command: F, acceptance: Acceptance): readonly E[];
  readonly annotations?: (command: NoInfer<F>) => AnnotationChange;
  /** Ids that the command creates. Default: those of the comments or downtimes that it adds. */
  readonly ids?: (command: NoInfer<F>) => readonly string[];
  /** Makes the response from the ids that the command has created. Default: an empty message. */
  readonly response?: (ids: readonly string[]) => MessageInitShape<Methods[M]["output"]>;
  /** Number of objects that the target matched. Default: the number of objects of the command. */
  readonly matched?: (command: NoInfer<F>, request: RequestOf<M>, realm: CommandRealm) => number;
  /** Lines of the external command file, by their names in Nagios. */
  readonly lines?: Readonly<Record<string, CommandLine<NoInfer<F>>>>;
  /** Command that a `toggle` record of the realm is about, from the record's output; undefined for that of another one. */
  readonly recorded?: (output: string) => NoInfer<F> | undefined;
  /** Quota that stored answers of the method count for. Default: `commands`. */
  readonly quota?: "results";
};

export type CommandKind<M extends CommandMethod, K extends string, F, E extends Effect> = CommandDeclaration<
  M,
  K,
  F,
  E
> & { readonly method: M; readonly words?: CommandWords<M> };

/** Declares a command. The types of its request and response follow from the method's name. */
export const declareCommand = <
  M extends CommandMethod,
  const K extends string,
  F,
  const E extends Effect,
  const W extends CommandWords<M>,
>(
  method: M,
  declaration: CommandDeclaration<M, K, F, E> & { readonly words?: W },
): CommandKind<M, K, F, E> & { readonly words: W } => ({ words: undefined as never, ...declaration, method });

/** Command kind of which only the shape common to all is known. */
export type AnyCommandKind = CommandKind<CommandMethod, string, object, Effect>;
/** Method of CommandService with any request and response. */
export type AnyCommandMethod = DescMethodUnary<DescMessage, DescMessage>;
