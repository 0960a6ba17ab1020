import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { ObjectLink } from "../../components/object/object-link.tsx";
import { Fact } from "./fact.tsx";
import { useObjectConfiguration } from "./use-object.ts";

/** Configuration of the object: check type, parents, labels, process rule. */
export function ConfigurationPanel({ realm, object }: { realm: string; object: ObjectKey }) {
  const configuration = useObjectConfiguration(realm, object);
  if (configuration === undefined) return null;
  const labels = Object.entries(configuration.labels).sort(([a], [b]) => a.localeCompare(b));
  return (
    <section className="panel">
      <h2>Configuration</h2>
      <dl className="facts">
        {configuration.checkType !== "" && <Fact name="Check type" value={configuration.checkType} />}
        {configuration.parents.length > 0 && (
          <Fact
            name="Parents"
            value={configuration.parents.map((name) => (
              <ObjectLink key={name} realm={realm} object={{ kind: "host", name }} className="list-link">
                {name}
              </ObjectLink>
            ))}
          />
        )}
        {labels.length > 0 && (
          <Fact
            name="Labels"
            value={labels.map(([key, value]) => (
              <span key={key} className="label">
                {key}={value}
              </span>
            ))}
          />
        )}
      </dl>
      {configuration.rule !== "" && <pre className="output">{indented(configuration.rule)}</pre>}
    </section>
  );
}

/** JSON with indentation; other text is returned unchanged. */
function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
