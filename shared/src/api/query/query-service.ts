import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import type { Catalog } from "../../model/catalog.ts";
import type { Clock } from "../../model/clock.ts";
import type { RealmView } from "../../model/realm.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";
import type { ProgramToggles } from "../../model/toggles.ts";
import type { ReadModel, RowTotals, StatusAnswer, StatusSummary } from "../../read-model/read-model.ts";
import { contactToProto, panelToProto, sinkToProto, viewToProto } from "../../wire/catalog.ts";
import { objectKindCodec, statusCodec } from "../../wire/fields/enums.ts";
import { objectKeyToProto } from "../../wire/fields/object-ref.ts";
import { historyRecordToProto } from "../../wire/history.ts";
import { realmToProto } from "../../wire/realm.ts";
import { objectRowToProto, statusRowToProto } from "../../wire/rows/row.ts";
import { togglesToProto } from "../../wire/toggles.ts";
import { toConnectError } from "../rpc/refusal-to-code.ts";
import { parseHistoryQuery, parseObjectsQuery, parseStatusQuery } from "./parse-query.ts";

/** Description of the program that serves the API. */
export type ServerInfo = {
  /** `vX.Y.Z` for a release, else `dev`. */
  readonly version: string;
  readonly authEnabled: boolean;
  readonly readOnly: boolean;
  /** Realm of an agent; empty on an aggregator. */
  readonly realm: string;
  readonly aggregator: boolean;
  /** Undefined on an aggregator. */
  readonly toggles: ProgramToggles | undefined;
};

export type QueryServiceOptions = {
  readonly model: ReadModel;
  /** Called for each request, because toggles change. */
  readonly serverInfo: () => ServerInfo;
  readonly clock: Pick<Clock, "now">;
};

/**
 * QueryService of agent and aggregator: parses a request, queries the read model and converts the result to protobuf.
 */
export function queryService({ model, serverInfo, clock }: QueryServiceOptions): ServiceImpl<typeof QueryService> {
  const catalogs = async (): Promise<readonly Catalog[]> => valueOrThrow(await model.catalogs());
  return {
    async listStatus(request) {
      const query = valueOrThrow(parseStatusQuery(request, clock.now()));
      const [answer, realms] = await Promise.all([model.status(query), model.realms()]);
      const response = statusResponseToProto(valueOrThrow(answer), valueOrThrow(realms));
      return request.omitRealms ? { ...response, realms: [] } : response;
    },
    async listHistory(request) {
      const { records, nextPageToken } = valueOrThrow(await model.history(valueOrThrow(parseHistoryQuery(request))));
      return { records: records.map(historyRecordToProto), nextPageToken };
    },
    async listObjects(request) {
      const [answer, realms] = await Promise.all([
        model.objects(valueOrThrow(parseObjectsQuery(request))),
        model.realms(),
      ]);
      const { rows, nextPageToken } = valueOrThrow(answer);
      const withStale = staleMarker(valueOrThrow(realms));
      return { rows: rows.map((row) => withStale(objectRowToProto(row))), nextPageToken };
    },
    async listContacts() {
      return {
        contacts: flatMapCatalogs(await catalogs(), ({ contacts, realm }) =>
          contacts.map((c) => contactToProto(c, realm)),
        ),
      };
    },
    async listViews() {
      return {
        views: flatMapCatalogs(await catalogs(), ({ views, realm }) => views.map((view) => viewToProto(view, realm))),
      };
    },
    async listSinks() {
      return {
        sinks: flatMapCatalogs(await catalogs(), ({ sinks, realm }) => sinks.map((sink) => sinkToProto(sink, realm))),
      };
    },
    async listPanels() {
      return {
        panels: flatMapCatalogs(await catalogs(), ({ panels, realm }) =>
          panels.map((panel) => panelToProto(panel, realm)),
        ),
      };
    },
    getServerInfo() {
      const { toggles, ...info } = serverInfo();
      return toggles === undefined ? info : { ...info, toggles: togglesToProto(toggles) };
    },
    queryPanel: notOffered,
    listObjectMetrics: notOffered,
    queryObjectMetric: notOffered,
    queryAvailability: notOffered,
  };
}

/** [FD3] Adds `stale` to rows on an aggregator: true unless the row's realm is current. An agent has no realms. */
function staleMarker(realms: readonly RealmView[]): <R extends { readonly realm: string }>(row: R) => R {
  if (realms.length === 0) return (row) => row;
  const current = new Set(realms.flatMap(({ name, freshness }) => (freshness === "current" ? [name] : [])));
  return (row) => ({ ...row, stale: !current.has(row.realm) });
}

function statusResponseToProto(answer: StatusAnswer, realms: readonly RealmView[]) {
  const { rows, summary, removed, ...rest } = answer;
  const withStale = staleMarker(realms);
  return {
    ...rest,
    rows: rows.map((row) => withStale(statusRowToProto(row))),
    realms: realms.map(realmToProto),
    summary: summaryToProto(summary),
    removed: removed.map(({ realm, key }) => ({ realm, object: objectKeyToProto(key) })),
  };
}

const countsToProto = ({ counts, ...totals }: RowTotals) => ({
  ...totals,
  counts: counts.map(({ kind, status, count }) => ({
    kind: objectKindCodec.toProto(kind),
    status: statusCodec.toProto(status),
    count,
  })),
});

const summaryToProto = ({ lastKnown, ...totals }: StatusSummary) => ({
  ...countsToProto(totals),
  ...(lastKnown === undefined ? {} : { lastKnown: countsToProto(lastKnown) }),
});

const flatMapCatalogs = <T>(catalogs: readonly Catalog[], items: (catalog: Catalog) => readonly T[]): T[] =>
  catalogs.flatMap(items);

/** Returns the value, or ends the call with the refusal's code. */
function valueOrThrow<T>(result: Result<T, Refusal>): T {
  if (result.ok) return result.value;
  throw toConnectError(result.error);
}

function notOffered(): never {
  throw new ConnectError("panels, object metrics and availability are not supported yet", Code.Unimplemented);
}
