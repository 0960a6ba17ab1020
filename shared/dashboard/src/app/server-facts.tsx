import { useIdentity, useServerInfo } from "../api/server/server-info.ts";
import { appTexts } from "../texts/app-texts.ts";

/** Realm, version and signed-in user. */
export function ServerFacts() {
  const { info } = useServerInfo();
  const identity = useIdentity();
  if (info === undefined) return null;
  return (
    <>
      <dl className="server-facts">
        <div>
          <dt>{info.aggregator ? appTexts.aggregator : appTexts.realm}</dt>
          <dd>{info.aggregator ? appTexts.allRealms : info.realm}</dd>
        </div>
        <div>
          <dt>{appTexts.version}</dt>
          <dd>{info.version}</dd>
        </div>
        {identity !== undefined && (
          <div>
            <dt>{appTexts.signedIn}</dt>
            <dd>
              {identity.name} ({identity.role})
            </dd>
          </div>
        )}
      </dl>
      {info.readOnly && <p className="rail-note">{appTexts.readOnlyServer}</p>}
    </>
  );
}
