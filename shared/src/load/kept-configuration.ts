import { contextOf, type PlanOptions } from "../config/compile/compile-plan.ts";
import { type CompiledObjects, isLinked } from "../config/object-identities.ts";
import type { ObjectPlan } from "../config/plan.ts";
import type { RealmDocument } from "../config/schema/configuration.ts";
import { CheckedHost, type HostFacts, type ServiceFacts } from "../config/schema/host.ts";
import type { EvaluatedEntries } from "./evaluate-changes.ts";

export type KeptOptions = {
  /** Undefined when the next document has to be evaluated as a whole. */
  readonly evaluated: EvaluatedEntries | undefined;
  /** Evaluated document. */
  readonly json: unknown;
  readonly options: PlanOptions;
  readonly hosts: RealmDocument["hosts"];
  readonly compiled: IdentityCollector;
};

/**
 * Last valid configuration of the loader's thread, with which the next load leaves out what has not changed. Of each host
 * it has only what is compared with the next document.
 */
export class KeptConfiguration {
  readonly evaluated: EvaluatedEntries | undefined;
  readonly #context: string;
  readonly #hosts: ReadonlyMap<string, CheckedHost>;
  /** Indexes and identities of processes by reference. */
  readonly #processes = new Map<string, { readonly index: number; readonly identity: string }>();

  constructor({ evaluated, json, options, hosts, compiled }: KeptOptions) {
    this.#context = contextOf(json, options);
    const facts = new SharedFacts();
    const checked = new Map<string, CheckedHost>();
    const { identities } = compiled;
    let [index, firstService] = [0, hosts.size];
    for (const [name, host] of hosts) {
      const identity = identities[index] as string;
      const count = host.services.size;
      const isSame = host instanceof CheckedHost && host.index === index && host.firstService === firstService;
      if (isSame && host.identity === identity && !compiled.hasChangedLinks) checked.set(name, host);
      else {
        const serviceIdentities = identities.slice(firstService, firstService + count);
        const hasLinkedServices = serviceIdentities.some(isLinked);
        const place = { index, firstService, identity, serviceIdentities, hasLinkedServices };
        checked.set(facts.part(name), new CheckedHost(facts.of(host), place));
      }
      firstService += count;
      index += 1;
    }
    this.#hosts = checked;
    const labels = evaluated?.entries.labels.map((label) => facts.part(label)) ?? [];
    this.evaluated = evaluated && { ...evaluated, entries: { ...evaluated.entries, labels } };
    for (const [i, ref] of compiled.processes.entries())
      this.#processes.set(ref, { index: firstService + i, identity: identities[firstService + i] as string });
  }

  /** True when a document differs from this one at most in its hosts, and is compiled with the same options. */
  hasContext(json: unknown, options: PlanOptions): boolean {
    return contextOf(json, options) === this.#context;
  }

  host(name: string): CheckedHost | undefined {
    return this.#hosts.get(name);
  }

  /** Index of an object in the plan, if it is the same there. */
  indexOf({ key, ref }: ObjectPlan, identity: string): number | undefined {
    if (key.kind === "process") {
      const process = this.#processes.get(ref);
      return process?.identity === identity ? process.index : undefined;
    }
    const host = this.#hosts.get(key.kind === "host" ? key.name : key.host);
    if (host === undefined) return undefined;
    if (key.kind === "host") return host.identity === identity ? host.index : undefined;
    const position = [...host.services.keys()].indexOf(key.name);
    return position >= 0 && host.serviceIdentities[position] === identity ? host.firstService + position : undefined;
  }
}

/** Copies facts so that equal parts are one, and no text keeps the document in memory of which it is a part. */
class SharedFacts {
  readonly #parts = new Map<string, unknown>();

  of(host: HostFacts): HostFacts {
    if (host instanceof CheckedHost) return host;
    const { labels, zone, parents, check, services } = host;
    return {
      ...this.part({ labels, zone, parents, check: check && { type: check.type } }),
      services: new Map([...services].map(([name, service]) => [this.part(name), this.#service(service)])),
    };
  }

  /** The first part that was equal, which is a copy. */
  part<T>(part: T): T {
    const key = JSON.stringify(part);
    if (!this.#parts.has(key)) this.#parts.set(key, JSON.parse(key));
    return this.#parts.get(key) as T;
  }

  #service = ({ labels, zone, check }: ServiceFacts): ServiceFacts =>
    this.part({ labels, zone, check: check && { type: check.type } });
}

/** Collects what is kept of the objects of a compilation. */
export class IdentityCollector {
  /** Identities of all objects, in the order of the plan. */
  readonly identities: string[] = [];
  /** References of processes. */
  readonly processes: string[] = [];
  /** True when other objects define something else of an object that has not changed itself. */
  hasChangedLinks = false;

  *collect(objects: Iterable<CompiledObjects>): Generator<CompiledObjects> {
    for (const each of objects) {
      if (each.kind === "compiled") {
        this.identities.push(each.identity);
        if (each.object.key.kind === "process") this.processes.push(each.object.ref);
      } else {
        for (const identity of each.identities) this.identities.push(identity);
        this.hasChangedLinks ||= each.links !== undefined;
      }
      yield each;
    }
  }
}
