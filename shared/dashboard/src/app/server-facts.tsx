import { pairRoleOf } from "@realmwatch/shared/view/pair-state";
import { Link } from "@tanstack/react-router";
import { useIdentity, useServerInfo } from "../api/server/server-info.ts";
import { useOverview } from "../api/status/overview.ts";
import { Fact } from "../components/object/fact.tsx";

/** Realm, version, member of a pair and signed-in user. */
export function ServerFacts() {
  const { info } = useServerInfo();
  const identity = useIdentity();
  const pair = useOverview().data?.pair;
  if (info === undefined) return null;
  return (
    <>
      <dl className="server-facts">
        <Fact name={info.aggregator ? "Aggregator" : "Realm"}>{info.aggregator ? "all realms" : info.realm}</Fact>
        <Fact name="Version">{info.version}</Fact>
        {pair !== undefined && (
          <Fact name="Pair">
            <Link to="/realms" className="list-link">
              {pair.self}, {pairRoleOf(pair)}
            </Link>
          </Fact>
        )}
        {identity !== undefined && (
          <Fact name="Signed in">
            {identity.name} ({identity.role})
          </Fact>
        )}
      </dl>
      {info.readOnly && <p className="rail-note">Read-only</p>}
    </>
  );
}
