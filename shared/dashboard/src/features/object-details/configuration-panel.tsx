import type { ObjectKey } from "../../api/status/object-key.ts";
import { ObjectLink } from "../../components/object/object-link.tsx";
import { Fact } from "./fact.tsx";
import { useObjectConfiguration } from "./use-object.ts";

/** What the configuration says of the object. */
export function ConfigurationPanel({ realm, object }: { realm: string; object: ObjectKey }) {
  const about = useObjectConfiguration(realm, object);
  if (about === undefined) return null;
  const labels = Object.entries(about.labels).sort(([a], [b]) => a.localeCompare(b));
  return (
    <section className="panel">
      <h2>Configuration</h2>
      <dl className="facts">
        {about.checkType !== "" && <Fact name="Check type" value={about.checkType} />}
        {about.parents.length > 0 && (
          <Fact
            name="Parents"
            value={about.parents.map((name) => (
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
      {about.rule !== "" && <pre className="output">{indented(about.rule)}</pre>}
    </section>
  );
}

/** JSON with line breaks; text that is none stays as it is. */
function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
