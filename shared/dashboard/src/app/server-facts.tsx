import { pairRoleOf } from "@realmwatch/shared/view/pair-state";
import { Link } from "@tanstack/react-router";
import { useIdentity, useServerInfo } from "../api/server/server-info.ts";
import { useOverview } from "../api/status/overview.ts";

/** Realm, version, member of a pair and signed-in user. */
export function ServerFacts() {
  const { info } = useServerInfo();
  const identity = useIdentity();
  const pair = useOverview().data?.pair;
  if (info === undefined) return null;
  return (
    <>
      <dl className="server-facts">
        <div>
          <dt>{info.aggregator ? "Aggregator" : "Realm"}</dt>
          <dd>{info.aggregator ? "all realms" : info.realm}</dd>
        </div>
        <div>
          <dt>Version</dt>
          <dd>{info.version}</dd>
        </div>
        {pair !== undefined && (
          <div>
            <dt>Pair</dt>
            <dd>
              <Link to="/realms" className="list-link">
                {pair.self}, {pairRoleOf(pair)}
              </Link>
            </dd>
          </div>
        )}
        {identity !== undefined && (
          <div>
            <dt>Signed in</dt>
            <dd>
              {identity.name} ({identity.role})
            </dd>
          </div>
        )}
      </dl>
      {info.readOnly && <p className="rail-note">Read-only</p>}
    </>
  );
}
