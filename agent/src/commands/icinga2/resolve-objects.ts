import type { ImportLimits } from "../import/import-limits.ts";
import type { ImportReport, SourceLine } from "../import/import-report.ts";
import type { IcingaDefinition, IcingaEvaluation } from "./dsl/evaluation.ts";
import { IcingaLimitError, IcingaSourceError, type IcingaStatement, problemOf } from "./dsl/syntax.ts";
import {
  checkExtent,
  IcingaDictionary,
  IcingaUnknown,
  type IcingaValue,
  icingaText,
  isIcingaList,
  isTruthy,
} from "./dsl/values.ts";
import { attributeList, attributeText, type IcingaObject } from "./icinga-object.ts";

type Definition = IcingaDefinition & { readonly zone: string };

type IcingaResolution = {
  readonly evaluation: IcingaEvaluation;
  readonly definitions: readonly Definition[];
  readonly report: ImportReport;
  readonly limits: ImportLimits;
};

/** Makes the objects that declarations and apply rules give, in the order in which they may refer to each other. */
export function resolveObjects(resolution: IcingaResolution): readonly IcingaObject[] {
  return new Resolver(resolution).resolve();
}

/** Hosts are first, then services, because the rules of the other types select from them. */
const order = ["Host", "HostGroup", "Service", "ServiceGroup", "User", "UserGroup"];

class Resolver {
  readonly #evaluation: IcingaEvaluation;
  readonly #definitions: readonly Definition[];
  readonly #report: ImportReport;
  readonly #limits: ImportLimits;
  readonly #objects = new Map<string, IcingaObject>();
  readonly #byType = new Map<string, IcingaObject[]>();
  /** Types of which all objects are made. */
  readonly #madeTypes = new Set<string>();

  constructor({ evaluation, definitions, report, limits }: IcingaResolution) {
    this.#limits = limits;
    this.#evaluation = evaluation;
    evaluation.findObject = (type, name) =>
      this.#objects.get(`${type} ${name}`)?.attributes ?? (this.#madeTypes.has(type) ? null : undefined);
    this.#definitions = definitions;
    this.#report = report;
  }

  resolve(): readonly IcingaObject[] {
    this.#evaluation.work.restartCount();
    const byType = Map.groupBy(this.#definitions, ({ declaration }) => declaration.type);
    const types = [...order, ...[...byType.keys()].filter((type) => !order.includes(type))];
    for (const type of types) {
      for (const definition of byType.get(type) ?? []) {
        const { kind } = definition.declaration;
        const resolve = () => (kind === "apply" ? this.#apply(definition) : this.#declare(definition));
        // After a limit was reached nothing more can be resolved.
        if (!this.#attempt(definition, resolve)) return [...this.#objects.values()];
      }
      this.#madeTypes.add(type);
    }
    return [...this.#objects.values()];
  }

  /** Resolves one object; an error in the sources leaves it out, with a finding. False when a limit was reached. */
  #attempt({ declaration: { kind, type, source } }: Definition, resolve: () => void): boolean {
    try {
      resolve();
      return true;
    } catch (error) {
      const problem = problemOf(error, source);
      const name = `line ${source.line}`;
      this.#report.add({
        ...problem,
        kind: kind === "object" ? type : `${kind} ${type}`,
        name,
        outcome: "unsupported",
      });
      return !(error instanceof IcingaLimitError);
    }
  }

  #declare(definition: Definition): void {
    const { declaration, locals } = definition;
    if (declaration.name === undefined) throw new IcingaSourceError(declaration.source, "the object has no name");
    const name = icingaText(
      this.#evaluation.evaluate(declaration.name, { locals, self: undefined, subject: undefined }),
    );
    const object = this.#make(definition, { name, presets: {}, locals });
    if (/^(?:Host|Service|User)Group$/.test(declaration.type)) this.#assignMembers(definition, object);
  }

  #make(
    { declaration, zone, locals: own }: Definition,
    {
      name,
      presets,
      locals,
    }: { readonly name: string; readonly presets: Readonly<Record<string, string>>; readonly locals: IcingaDictionary },
  ): IcingaObject {
    const { type, source } = declaration;
    const attributes = new IcingaDictionary();
    const templates: string[] = [];
    attributes.set("name", name);
    attributes.set("__name", name);
    if (zone !== "") attributes.set("zone", zone);
    for (const [key, value] of Object.entries(presets)) attributes.set(key, value);
    const title = [presets["host_name"], presets["service_name"], name].filter(Boolean).join("!");
    const scope = { self: attributes, subject: { type, name: title, templates }, locals };
    this.#evaluation.fill({ declaration, locals: own }, scope);
    attributes.set("templates", templates);
    const object = { type, name: fullName(type, attributes), source, attributes };
    attributes.set("__name", object.name);
    checkExtent(attributes);
    const key = `${type} ${object.name}`;
    const earlier = this.#objects.get(key);
    if (earlier !== undefined)
      throw new IcingaSourceError(
        source,
        `the ${type} "${object.name}" is declared twice: also at ${earlier.source.file}:${earlier.source.line}`,
      );
    if (this.#objects.size >= this.#limits.objects)
      throw new IcingaLimitError(source, `more than ${Math.floor(this.#limits.objects)} objects: the rest is left out`);
    this.#objects.set(key, object);
    this.#byType.getOrInsertComputed(type, () => []).push(object);
    return object;
  }

  /** Adds a group to the objects that its rules select. */
  #assignMembers({ declaration, locals }: Definition, group: IcingaObject): void {
    const type = declaration.type.replace("Group", "");
    for (const object of this.#ofType(type)) {
      const scope = this.#scopeOf(object, locals, declaration.source);
      if (this.#isSelected(declaration.body, scope, group, false)) {
        const groups = object.attributes.get("groups");
        object.attributes.set("groups", [...(isIcingaList(groups) ? groups : []), group.name]);
      }
    }
  }

  #apply(definition: Definition): void {
    const { declaration, locals } = definition;
    const { type, source, loop } = declaration;
    const target = declaration.target ?? "Host";
    const prefix =
      declaration.name === undefined
        ? ""
        : icingaText(this.#evaluation.evaluate(declaration.name, { locals, self: undefined, subject: undefined }));
    const rule = { type: `apply ${type}`, name: prefix || `line ${source.line}`, source };
    for (const object of this.#ofType(target)) {
      const scope = this.#scopeOf(object, locals, source);
      if (!this.#isSelected(declaration.body, scope, rule, loop !== undefined)) continue;
      const presets = presetsOf(type, object);
      if (loop === undefined) {
        this.#make(definition, { name: prefix, presets, locals: scope });
        continue;
      }
      const subject = { type: rule.type, name: rule.name, templates: [] };
      this.#evaluation.loop(loop.over, { locals: scope, self: undefined, subject }, (key, value) => {
        const inner = this.#evaluation.work.nested(scope, source);
        if (loop.key !== undefined) inner.set(loop.key, key);
        inner.set(loop.value, loop.key === undefined ? key : value);
        this.#make(definition, { name: prefix + icingaText(key), presets, locals: inner });
      });
    }
  }

  /** Result of `assign where` and `ignore where`; without any of the first, `fallback`. */
  #isSelected(
    body: readonly IcingaStatement[],
    locals: IcingaDictionary,
    rule: Pick<IcingaObject, "type" | "name" | "source">,
    fallback: boolean,
  ): boolean {
    const filters = body.filter((statement) => statement.kind === "where");
    const test = (ignores: boolean): readonly boolean[] =>
      filters
        .filter((each) => each.ignores === ignores)
        .map((each) =>
          this.#test(
            this.#evaluation.evaluate(each.filter, { locals, self: undefined, subject: undefined }),
            rule,
            each.source,
          ),
        );
    const assigned = test(false);
    const isAssigned = assigned.length === 0 ? fallback : assigned.includes(true);
    return isAssigned && !test(true).includes(true);
  }

  #test(value: IcingaValue, rule: Pick<IcingaObject, "type" | "name">, source: SourceLine): boolean {
    if (!(value instanceof IcingaUnknown)) return isTruthy(value);
    const { type: kind, name } = rule;
    const why = `the rule cannot be decided, and selects nothing: ${value.why}`;
    this.#report.add({ source, kind, name, outcome: "unsupported", why });
    return false;
  }

  #scopeOf(object: IcingaObject, locals: IcingaDictionary, source: SourceLine): IcingaDictionary {
    const scope = this.#evaluation.work.nested(locals, source);
    scope.set(object.type.toLowerCase(), object.attributes);
    if (object.type !== "Service") return scope;
    const host = this.#objects.get(`Host ${attributeText(object, "host_name") ?? ""}`);
    if (host !== undefined) scope.set("host", host.attributes);
    return scope;
  }

  #ofType(type: string): readonly IcingaObject[] {
    return [...(this.#byType.get(type) ?? [])];
  }
}

/** Attributes that the object of an apply rule has from the object that it is applied to. */
function presetsOf(type: string, object: IcingaObject): Readonly<Record<string, string>> {
  const isService = object.type === "Service";
  const host = isService ? (attributeText(object, "host_name") ?? "") : object.name;
  const service = isService ? icingaText(object.attributes.get("name")) : "";
  if (type === "Dependency")
    return { parent_host_name: host, child_host_name: host, ...(isService ? { child_service_name: service } : {}) };
  return { host_name: host, ...(isService ? { service_name: service } : {}) };
}

/** Name with those of the objects that it belongs to. */
function fullName(type: string, attributes: IcingaDictionary): string {
  const text = (name: string): string => icingaText(attributes.get(name));
  const name = text("name");
  switch (type) {
    case "Service":
      return `${text("host_name")}!${name}`;
    case "Notification":
    case "ScheduledDowntime":
      return [text("host_name"), text("service_name"), name].filter(Boolean).join("!");
    case "Dependency":
      return [text("child_host_name"), text("child_service_name"), name].filter(Boolean).join("!");
    default:
      return name;
  }
}

/** Names of the groups of an object, with the groups that these are in. */
export function groupsOf(object: IcingaObject, find: (name: string) => IcingaObject | undefined): readonly string[] {
  const found = new Set<string>();
  const open = [...attributeList(object, "groups")];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    const group = find(name);
    if (group !== undefined) open.push(...attributeList(group, "groups"));
  }
  return [...found].toSorted();
}
