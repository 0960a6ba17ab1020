import { Code } from "@connectrpc/connect";
import { useQuery } from "@connectrpc/connect-query";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { Role } from "@realmwatch/proto/svc/v1/common_pb";
import { type GetServerInfoResponse, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { callCodeOf } from "./call-failure.ts";

const infoPollMs = 15_000;

/**
 * What answers here. `locked` where the server wants to know who is asking before it says anything. Only
 * the shell asks again by itself (`follow`).
 */
export function useServerInfo(follow = false): {
  info: GetServerInfoResponse | undefined;
  locked: boolean;
  error: unknown;
} {
  const { data, error } = useQuery(
    QueryService.method.getServerInfo,
    {},
    { staleTime: infoPollMs, refetchInterval: follow && infoPollMs, retryOnMount: false },
  );
  return { info: data, locked: error !== null && callCodeOf(error) === Code.Unauthenticated, error };
}

/** Who is calling, where identities are configured; undefined otherwise and until known. */
export function useIdentity(): { name: string; mayCommand: boolean } | undefined {
  const { info } = useServerInfo();
  const { data } = useQuery(
    AuthService.method.whoAmI,
    {},
    { enabled: info?.authEnabled === true, staleTime: infoPollMs },
  );
  return data && { name: data.name, mayCommand: data.role >= Role.OPERATOR };
}
