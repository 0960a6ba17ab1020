import type { ImportReport, SourceLine } from "../import/import-report.ts";
import { SourceConfiguration } from "../import/source-configuration.ts";
import type { ExpressionUse } from "./name-lists.ts";
import type { NagiosSources } from "./read-sources.ts";
import type { NagiosAttribute, NagiosObject } from "./source-objects.ts";

/** Configuration with templates applied, and look-ups that the converters share. */
export class NagiosConfiguration extends SourceConfiguration<NagiosObject> {
  readonly #sources: NagiosSources;
  #made = 0;
  readonly #readOptions = new Set(["cfg_file", "cfg_dir", "resource_file"]);

  constructor(sources: NagiosSources, objects: readonly NagiosObject[], report: ImportReport) {
    super(objects, report);
    this.#sources = sources;
  }

  get limits(): NagiosSources["limits"] {
    return this.#sources.limits;
  }

  get resources(): NagiosSources["resources"] {
    return this.#sources.resources;
  }

  /** Number in the main file. */
  option(name: string, fallback: number): number {
    const number = Number(this.optionText(name)?.value);
    return Number.isFinite(number) ? number : fallback;
  }

  /** Last value of an option of the main file, with its place; undefined when it is not set or empty. */
  optionText(name: string): NagiosAttribute | undefined {
    this.#readOptions.add(name);
    const option = this.#sources.options.get(name)?.at(-1);
    return option?.value === "" ? undefined : option;
  }

  /** Options of the main file that no converter has read. */
  unreadOptions(): readonly { readonly name: string; readonly option: NagiosAttribute }[] {
    return [...this.#sources.options]
      .filter(([name]) => !this.#readOptions.has(name))
      .flatMap(([name, values]) => values.map((option) => ({ name, option })));
  }

  /** Duration of an attribute that counts in units of `interval_length`, s. */
  seconds(object: NagiosObject, name: string, fallback: number): number {
    const text = attributeValue(object, name);
    const number = text === undefined ? Number.NaN : Number(text);
    return (Number.isFinite(number) ? number : fallback) * this.option("interval_length", 60);
  }

  /** Counts objects that lists and groups make; false, with a finding, when there are more than the limit in all. */
  addObjects(by: NagiosObject, count: number): boolean {
    this.#made += count;
    if (this.#made <= this.limits.objects) return true;
    const most = Math.floor(this.limits.objects);
    this.unsupported(by, `it is left out: lists and groups make more than ${most} objects in all`);
    return false;
  }

  /** Parts of lists that the main file makes regular expressions. */
  expressionUse(): ExpressionUse {
    if (this.option("use_regexp_matching", 0) === 0) return "none";
    return this.option("use_true_regexp_matching", 0) === 0 ? "marked" : "all";
  }

  /** Adds a remark about an option of the main file. */
  remarkOption(name: string, why: string): void {
    const source = this.optionText(name)?.source ?? { file: "", line: 1 };
    this.report.add({ source, kind: "option", name, outcome: "unsupported", why });
  }

  protected override nameOf(object: NagiosObject): string {
    return nagiosNameOf(object);
  }

  protected override placeOf({ attributes }: NagiosObject, attribute: string): SourceLine | undefined {
    return attributes.get(attribute)?.source;
  }
}

/** Places of the attributes that a converter has read. A place is of one import only. */
const readPlaces = new WeakSet<SourceLine>();

export const wasRead = (place: SourceLine): boolean => readPlaces.has(place);
export const markRead = (place: SourceLine): void => void readPlaces.add(place);

/** Value of an attribute, which counts as read; undefined when it is not set or empty. */
export function attributeValue(object: NagiosObject, name: string): string | undefined {
  const attribute = object.attributes.get(name);
  if (attribute !== undefined) markRead(attribute.source);
  return attribute?.value === "" ? undefined : attribute?.value;
}

/** True when a switch is on. */
export const isAttributeOn = (object: NagiosObject, name: string, fallback: boolean): boolean =>
  attributeValue(object, name) === undefined ? fallback : attributeValue(object, name) !== "0";

/** Name of an object or a template in the report; that of a service begins with its hosts. */
export function nagiosNameOf(object: NagiosObject): string {
  const service = attributeValue(object, "service_description");
  const hosts = attributeValue(object, "host_name") ?? attributeValue(object, "hostgroup_name") ?? "";
  const template = attributeValue(object, "name");
  if (object.type === "service" && (template === undefined || hosts !== "")) return `${hosts}!${service ?? ""}`;
  const parts = [hosts, service].filter(Boolean);
  return attributeValue(object, `${object.type}_name`) ?? (parts.length > 0 ? parts.join("!") : (template ?? ""));
}

/** Custom variables, and the attributes named in `texts`, as variables of the document. */
export function variablesOf(object: NagiosObject, texts: readonly string[]): Record<string, string> {
  const vars: Record<string, string> = {};
  for (const [name, { value, source }] of object.attributes) {
    const isVariable = /^_[A-Za-z][A-Za-z0-9_]*$/.test(name);
    if (isVariable || texts.includes(name)) markRead(source);
    if (isVariable) vars[name.slice(1).toUpperCase()] = value;
    else if (texts.includes(name) && value !== "" && value !== nagiosNameOf(object)) vars[name.toUpperCase()] = value;
  }
  return vars;
}
