import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import type { Catalog } from "../../model/catalog.ts";
import type { Clock } from "../../model/clock.ts";
import type { RealmView } from "../../model/realm.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";
import type { ProgramToggles } from "../../model/toggles.ts";
import type { ReadModel, StatusAnswer, StatusSummary } from "../../read-model/read-model.ts";
import { wireContactOf, wirePanelOf, wireSinkOf, wireViewOf } from "../../wire/catalog.ts";
import { objectKindCodec, statusCodec } from "../../wire/fields/enums.ts";
import { wireRecordOf } from "../../wire/history.ts";
import { objectRefOf } from "../../wire/fields/object-ref.ts";
import { wireRealmOf } from "../../wire/realm.ts";
import { objectRowOf, statusRowOf } from "../../wire/rows/row.ts";
import { wireTogglesOf } from "../../wire/toggles.ts";
import { parseHistoryQuery, parseObjectsQuery, parseStatusQuery } from "./parse-query.ts";
import { toConnectError } from "../rpc/refusal-to-code.ts";

/** What answers here. */
export type ServerInfo = {
  /** `vX.Y.Z` of a release, else `dev`. */
  readonly version: string;
  readonly authEnabled: boolean;
  readonly readOnly: boolean;
  /** An agent's own realm; empty on an aggregator. */
  readonly realm: string;
  readonly aggregator: boolean;
  /** Undefined on an aggregator. */
  readonly toggles: ProgramToggles | undefined;
};

export type QueryServiceParts = {
  readonly model: ReadModel;
  /** Asked at each call, because switches change. */
  readonly serverInfo: () => ServerInfo;
  readonly clock: Pick<Clock, "now">;
};

/** Every read, of an agent and of an aggregator: a request is parsed, the model asked, the answer put on the wire. */
export function queryService({ model, serverInfo, clock }: QueryServiceParts): ServiceImpl<typeof QueryService> {
  const catalogs = async (): Promise<readonly Catalog[]> => granted(await model.catalogs());
  return {
    async listStatus(request) {
      const query = granted(parseStatusQuery(request, clock.now()));
      const [answer, realms] = await Promise.all([model.status(query), model.realms()]);
      return statusResponseOf(granted(answer), granted(realms));
    },
    async listHistory(request) {
      const { records, nextPageToken } = granted(await model.history(granted(parseHistoryQuery(request))));
      return { records: records.map(wireRecordOf), nextPageToken };
    },
    async listObjects(request) {
      const { rows, nextPageToken } = granted(await model.objects(granted(parseObjectsQuery(request))));
      return { rows: rows.map(objectRowOf), nextPageToken };
    },
    async listContacts() {
      return {
        contacts: eachOf(await catalogs(), ({ contacts, realm }) => contacts.map((c) => wireContactOf(c, realm))),
      };
    },
    async listViews() {
      return { views: eachOf(await catalogs(), ({ views, realm }) => views.map((view) => wireViewOf(view, realm))) };
    },
    async listSinks() {
      return { sinks: eachOf(await catalogs(), ({ sinks, realm }) => sinks.map((sink) => wireSinkOf(sink, realm))) };
    },
    async listPanels() {
      return {
        panels: eachOf(await catalogs(), ({ panels, realm }) => panels.map((panel) => wirePanelOf(panel, realm))),
      };
    },
    getServerInfo() {
      const { toggles, ...info } = serverInfo();
      return toggles === undefined ? info : { ...info, toggles: wireTogglesOf(toggles) };
    },
    queryPanel: notOffered,
    listObjectMetrics: notOffered,
    queryObjectMetric: notOffered,
    queryAvailability: notOffered,
  };
}

function statusResponseOf(answer: StatusAnswer, realms: readonly RealmView[]) {
  const { rows, summary, removed, ...rest } = answer;
  return {
    ...rest,
    rows: rows.map(statusRowOf),
    realms: realms.map(wireRealmOf),
    summary: wireSummaryOf(summary),
    removed: removed.map(({ realm, key }) => ({ realm, object: objectRefOf(key) })),
  };
}

const wireSummaryOf = ({ counts, ...totals }: StatusSummary) => ({
  ...totals,
  counts: counts.map(({ kind, status, count }) => ({
    kind: objectKindCodec.toWire(kind),
    status: statusCodec.toWire(status),
    count,
  })),
});

const eachOf = <T>(catalogs: readonly Catalog[], items: (catalog: Catalog) => readonly T[]): T[] =>
  catalogs.flatMap(items);

/** The value, or the end of the call with the refusal's code. */
function granted<T>(result: Result<T, Refusal>): T {
  if (result.ok) return result.value;
  throw toConnectError(result.error);
}

function notOffered(): never {
  throw new ConnectError("panels, object metrics and availability are not offered yet", Code.Unimplemented);
}
