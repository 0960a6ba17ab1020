import { create } from "@bufbuild/protobuf";
import {
  type GetCheckCommandRequest,
  type ListObjectMetricsRequest,
  ListStatusRequestSchema,
  type QueryObjectMetricRequest,
  type QueryPanelRequest,
} from "@realmwatch/proto/svc/v1/query_pb";
import { parseStatusQuery } from "@realmwatch/shared/api/query/parse-query";
import { toConnectError, valueOrThrow } from "@realmwatch/shared/api/rpc/refusal-to-code";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { Clock } from "@realmwatch/shared/model/clock";
import { formatKey } from "@realmwatch/shared/model/object-key";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import { objectKeyFromProto } from "@realmwatch/shared/wire/fields/object-ref";
import type { Forwarder } from "../forward/forwarder.ts";

export type RealmHolderOptions = {
  readonly forwarder: () => Forwarder;
  readonly model: Pick<ReadModel, "catalogs" | "status" | "realms">;
  readonly clock: Pick<Clock, "now">;
};

export type ObjectRequest = ListObjectMetricsRequest | QueryObjectMetricRequest | GetCheckCommandRequest;

/** `unknown`: realms whose service level objectives are not known. */
export type AskedRealms = { readonly realms: readonly string[]; readonly unknown: readonly string[] };

/** Realms that have what requests name. All methods throw what the caller receives. */
export class RealmHolders {
  readonly #options: RealmHolderOptions;

  constructor(options: RealmHolderOptions) {
    this.#options = options;
  }

  /** The realm itself, which exists. */
  named(realm: string): string {
    if (this.#options.forwarder().hasRealm(realm)) return realm;
    throw toConnectError({ kind: "missing", what: `realm ${JSON.stringify(realm)}` });
  }

  async ofPanel({ panel, realm }: QueryPanelRequest): Promise<string> {
    if (realm !== "") return this.named(realm);
    const holders = (await this.#catalogs()).filter(({ panels }) => panels.some(({ name }) => name === panel));
    return this.#only(holders, `panel ${JSON.stringify(panel)}`);
  }

  async ofObject({ object, realm }: ObjectRequest): Promise<string> {
    if (realm !== "") return this.named(realm);
    const key = valueOrThrow(objectKeyFromProto("object", object));
    if (object === undefined || key === undefined)
      throw toConnectError({ kind: "malformed", field: "object", why: "is required" });
    const request = create(ListStatusRequestSchema, { object, omitRealms: true });
    const query = valueOrThrow(parseStatusQuery(request, this.#options.clock.now()));
    const { rows } = valueOrThrow(await this.#options.model.status(query));
    return this.#only(rows, formatKey(key));
  }

  /** Realms that have the objective, and those whose objectives are not known, because they were not heard yet. */
  async ofObjective(slo: string): Promise<AskedRealms> {
    const [known, views] = [await this.#catalogs(), valueOrThrow(await this.#options.model.realms())];
    const realms = known.filter(({ slos }) => slos.some(({ name }) => slo === "" || name === slo));
    const unknown = views.filter(({ name }) => !known.some(({ realm }) => realm === name));
    if (slo !== "" && realms.length === 0 && unknown.length === 0)
      throw toConnectError({ kind: "missing", what: `slo: service level objective ${JSON.stringify(slo)}` });
    return { realms: realms.map(({ realm }) => realm), unknown: unknown.map(({ name }) => name) };
  }

  async #catalogs(): Promise<readonly Catalog[]> {
    return valueOrThrow(await this.#options.model.catalogs());
  }

  /** The only realm that has what a request names. */
  #only(holders: readonly { readonly realm: string }[], what: string): string {
    const [only, ...others] = holders.map(({ realm }) => realm);
    if (only === undefined) throw toConnectError({ kind: "missing", what });
    if (others.length === 0) return this.named(only);
    const why = `is required: ${what} is in realms ${[only, ...others].sort().join(", ")}`;
    throw toConnectError({ kind: "malformed", field: "realm", why });
  }
}
