import type { Author } from "../model/author.ts";
import { formatKey, type ObjectKey, refOf } from "../model/object-key.ts";
import { fail, ok, type Result } from "../model/result.ts";
import type { ResolutionContext } from "./command-realm.ts";
import { type ArgumentName, type ParsedArguments, parseArguments } from "./line-arguments.ts";

/** Commands that a line stands for, in order, and their author. The list is empty when there is nothing to do. */
export type LineCommands<F> = { readonly commands: readonly F[]; readonly by: Author };

/**
 * State of earlier lines that a line waits for. `stored`: the comments and downtimes that they add have their numbers;
 * `applied`: the objects have them.
 */
export type EarlierLines = "stored" | "applied";

/** Line with valid arguments. */
export type ParsedLine<F> = {
  readonly after?: EarlierLines | undefined;
  /** Resolves the names of the line. Fails with a sentence. */
  resolve(context: ResolutionContext): Result<LineCommands<F>, string>;
};

/** Parses the arguments of a line; fails with the end of a sentence. */
export type CommandLine<F> = (raw: string | undefined) => Result<ParsedLine<F>, string>;

export const lineCommands = <F>(commands: readonly F[], author = ""): Result<LineCommands<F>, never> =>
  ok({ commands, by: { author, onBehalfOf: "" } });

/** Line with the given arguments. */
export const commandLine =
  <N extends ArgumentName, F>(
    names: readonly N[],
    resolve: (values: ParsedArguments<N>, context: ResolutionContext) => Result<LineCommands<F>, string>,
    after?: (values: ParsedArguments<N>) => EarlierLines | undefined,
  ): CommandLine<F> =>
  (raw) => {
    const values = parseArguments(names, raw);
    if (!values.ok) return values;
    return ok({ after: after?.(values.value), resolve: (context) => resolve(values.value, context) });
  };

/** Names of the lines for a host, for a service and for all services of a host. */
export type TargetNames = { readonly host?: string; readonly service?: string; readonly services?: string };

/**
 * Lines that differ only in their objects: a host, a service, or all services of a host.
 *
 * @param names arguments that follow the names of the objects
 * @param resolve gets the references of the objects, at least one
 */
export function targetLines<N extends ArgumentName, F>(
  { host, service, services }: TargetNames,
  names: readonly N[],
  resolve: (
    refs: readonly string[],
    values: ParsedArguments<N>,
    context: ResolutionContext,
  ) => Result<LineCommands<F>, string>,
  after?: (values: ParsedArguments<N>) => EarlierLines | undefined,
): Readonly<Record<string, CommandLine<F>>> {
  const line = <T extends "host" | "service">(
    name: string | undefined,
    target: readonly T[],
    refsOf: (values: ParsedArguments<T>, context: ResolutionContext) => Result<readonly string[], string>,
  ): Readonly<Record<string, CommandLine<F>>> => {
    if (name === undefined) return {};
    const resolveTarget = (values: ParsedArguments<T | N>, context: ResolutionContext) => {
      const refs = refsOf(values, context);
      return refs.ok ? resolve(refs.value, values, context) : refs;
    };
    return { [name]: commandLine<T | N, F>([...target, ...names], resolveTarget, after) };
  };
  return {
    ...line(host, ["host"], (values, context) => refsOf(hostKey(values), context)),
    ...line(service, ["host", "service"], (values, context) =>
      refsOf({ kind: "service", host: values.host, name: values.service }, context),
    ),
    ...line(services, ["host"], (values, context) => servicesOf(hostKey(values), context)),
  };
}

/** Lines that switch something on and off, by the names without `ENABLE_` and `DISABLE_`. */
export const toggleLines = <F>(
  names: TargetNames,
  make: (refs: readonly string[], enabled: boolean) => F,
): Readonly<Record<string, CommandLine<F>>> => ({
  ...targetLines(withPrefix("ENABLE_", names), [], (refs) => lineCommands([make(refs, true)])),
  ...targetLines(withPrefix("DISABLE_", names), [], (refs) => lineCommands([make(refs, false)])),
});

const withPrefix = (prefix: string, names: TargetNames): TargetNames =>
  Object.fromEntries(Object.entries(names).map(([target, name]) => [target, prefix + name]));

const hostKey = ({ host }: { readonly host: string }): ObjectKey => ({ kind: "host", name: host });

function refsOf(key: ObjectKey, { realm }: ResolutionContext): Result<readonly string[], string> {
  const ref = refOf(key);
  return realm.records.has(ref) ? ok([ref]) : fail(`${formatKey(key)} does not exist`);
}

function servicesOf(key: ObjectKey, context: ResolutionContext): Result<readonly string[], string> {
  const host = refsOf(key, context);
  if (!host.ok) return host;
  const services = context.realm.records.get(refOf(key))?.plan.services ?? [];
  return services.length === 0 ? fail(`${formatKey(key)} has no services`) : ok(services);
}
