import { useIdentity, useServerInfo } from "../api/server/server-info.ts";

/** Realm, version and signed-in user. */
export function ServerFacts() {
  const { info } = useServerInfo();
  const identity = useIdentity();
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
