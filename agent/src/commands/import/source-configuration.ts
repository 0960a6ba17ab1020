import type { ImportOutcome, ImportReport, SourceLine } from "./import-report.ts";

/** Objects of the configuration of another system by their types, and the report about their conversion. */
export abstract class SourceConfiguration<Source extends { readonly type: string; readonly source: SourceLine }> {
  readonly objects: readonly Source[];
  readonly report: ImportReport;
  readonly #byType: ReadonlyMap<string, readonly Source[]>;

  constructor(objects: readonly Source[], report: ImportReport) {
    this.objects = objects;
    this.report = report;
    this.#byType = Map.groupBy(objects, ({ type }) => type);
  }

  ofType(type: string): readonly Source[] {
    return this.#byType.get(type) ?? [];
  }

  /** Reports an object as converted, or what needs no conversion, at an attribute where one is given. */
  converted(object: Source, why = "", attribute?: string): void {
    this.#report(object, "converted", why, attribute);
  }

  /** Reports what is different after the conversion, at an attribute where one is given. */
  approximated(object: Source, why: string, attribute?: string): void {
    this.#report(object, "approximated", why, attribute);
  }

  /** Reports what is left out, at an attribute where one is given. */
  unsupported(object: Source, why: string, attribute?: string): void {
    this.#report(object, "unsupported", why, attribute);
  }

  #report(object: Source, outcome: ImportOutcome, why: string, attribute?: string): void {
    const source = (attribute === undefined ? undefined : this.placeOf(object, attribute)) ?? object.source;
    this.report.add({ source, kind: object.type, name: this.nameOf(object), outcome, why });
  }

  /** Name of an object in the report. */
  protected abstract nameOf(object: Source): string;

  /** Place of an attribute; undefined where the object does not have it. */
  protected abstract placeOf(object: Source, attribute: string): SourceLine | undefined;
}
