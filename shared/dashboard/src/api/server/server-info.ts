import { Code } from "@connectrpc/connect";
import { useQuery } from "@connectrpc/connect-query";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { Role } from "@realmwatch/proto/svc/v1/common_pb";
import { type GetServerInfoResponse, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { roleCodec } from "@realmwatch/shared/wire/fields/enums";
import { useOverview } from "../status/overview.ts";
import { serverCodeOf } from "./server-failure.ts";

/** Intervals between polls, ms: usually, and while other calls fail, since the session may have ended. */
const infoPollMs = { usual: 60_000, failing: 5_000 } as const;

/**
 * Identity and settings of the server. `locked` is true when the server requires authentication for every call. Only
 * the shell polls (`follow`); other callers read the cached response.
 */
export function useServerInfo(follow = false): {
  info: GetServerInfoResponse | undefined;
  locked: boolean;
  error: unknown;
} {
  const { error: pollError } = useOverview();
  const { data, error } = useQuery(
    QueryService.method.getServerInfo,
    {},
    {
      staleTime: infoPollMs.usual,
      refetchInterval: follow && infoPollMs[pollError === null ? "usual" : "failing"],
      retryOnMount: false,
    },
  );
  return { info: data, locked: error !== null && serverCodeOf(error) === Code.Unauthenticated, error };
}

/** Identity of the caller; undefined when the server has no identities configured, and until it has answered. */
export function useIdentity(): { name: string; role: string; mayCommand: boolean; mayAdminister: boolean } | undefined {
  const { info } = useServerInfo();
  const { data } = useQuery(
    AuthService.method.whoAmI,
    {},
    { enabled: info?.authEnabled === true, staleTime: infoPollMs.usual },
  );
  return (
    data && {
      name: data.name,
      role: roleCodec.fromProto(data.role) ?? "without a role",
      mayCommand: data.role >= Role.OPERATOR,
      mayAdminister: data.role >= Role.ADMIN,
    }
  );
}
