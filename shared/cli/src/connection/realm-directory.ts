import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Target } from "@realmwatch/proto/svc/v1/common_pb";
import type {
  GetServerInfoResponse,
  ListStatusRequestSchema,
  ListStatusResponse,
} from "@realmwatch/proto/svc/v1/query_pb";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { type CliFailure, commandFailed, wrongUsage } from "../output/cli-failure.ts";
import { refText } from "../output/format-object.ts";

/** Queries of the server that the directory makes. */
type DirectoryQueries = {
  readonly url: string;
  info(): Promise<Result<GetServerInfoResponse, CliFailure>>;
  listStatus(
    request: MessageInitShape<typeof ListStatusRequestSchema>,
  ): Promise<Result<ListStatusResponse, CliFailure>>;
};

/** Entry that a command deletes by its id. */
type AnnotationId = { readonly kind: "downtime" | "comment"; readonly id: string };

/** Opens the directory of a server. The names are requested once. */
export function realmDirectory({ url, info, listStatus }: DirectoryQueries) {
  let requested: Promise<Result<readonly string[], CliFailure>> | undefined;

  async function requestNames(): Promise<Result<readonly string[], CliFailure>> {
    const known = await info();
    if (!known.ok) return known;
    if (known.value.aggregator !== true) return ok([known.value.realm]);
    const status = await listStatus({ summaryOnly: true });
    return status.ok ? ok(status.value.realms.map(({ name }) => name).sort()) : status;
  }

  const names = (): Promise<Result<readonly string[], CliFailure>> => {
    requested ??= requestNames();
    return requested;
  };

  return {
    /** Names of the realms, sorted; an agent has one. */
    names,
    /** Fails with the names that there are when the server has no such realm. */
    async check(realm: string): Promise<Result<undefined, CliFailure>> {
      const known = await names();
      if (!known.ok) return known;
      if (known.value.includes(realm)) return ok(undefined);
      return commandFailed(`${url} has no realm ${JSON.stringify(realm)}; it has ${known.value.join(", ")}`);
    },
    /** Realm of an aggregator that has the object. Fails unless exactly one has it. */
    async ofObject(
      object: Extract<Target["target"], { case: "object" }>["value"],
    ): Promise<Result<string, CliFailure>> {
      const status = await listStatus({ object, omitRealms: true });
      return status.ok ? single(refText(object), status.value) : status;
    },
    /** Realm of an aggregator that has the downtime or comment. Fails unless exactly one has it. */
    async ofAnnotation({ kind, id }: AnnotationId): Promise<Result<string, CliFailure>> {
      const status = await listStatus({ omitRealms: true });
      if (!status.ok) return status;
      const rows = status.value.rows.filter((row) =>
        (kind === "downtime" ? row.downtimes : row.comments).some((entry) => entry.id === id),
      );
      return single(`${kind} ${id}`, { rows });
    },
  };
}

/** The one realm of the rows. @param what subject of the error message */
function single(what: string, { rows }: Pick<ListStatusResponse, "rows">): Result<string, CliFailure> {
  const [realm, ...others] = [...new Set(rows.map((row) => row.realm))].sort();
  if (realm === undefined) return commandFailed(`${what} does not exist in any realm`);
  if (others.length === 0) return ok(realm);
  return wrongUsage(`${what} is in several realms: choose one with -target-realm: ${[realm, ...others].join(", ")}`);
}
