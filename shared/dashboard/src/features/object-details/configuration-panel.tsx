import type { ObjectRow, StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import { keyOf, type ObjectKey, refOf } from "@realmwatch/shared/model/object-key";
import type { ReactNode } from "react";
import { formatObjectName } from "../../api/status/object-key.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { Fact } from "../../components/object/fact.tsx";
import { LabelList } from "../../components/object/label-list.tsx";
import { ObjectLink } from "../../components/object/object-link.tsx";
import { useObjectConfiguration } from "./use-object.ts";

/** Fields of a row that only its configuration has. */
type ConfiguredField = Exclude<keyof ObjectRow, keyof StatusRow | "rule">;

/** Name and content of each configured field. A field that is missing does not compile, and an empty one is not shown. */
const facts: Readonly<
  Record<ConfiguredField, { name: string; show: (row: ObjectRow) => string | readonly ReactNode[] }>
> = {
  checkType: { name: "Check type", show: ({ checkType }) => checkType },
  parents: {
    name: "Parents",
    show: ({ realm, parents }) => parents.map((name) => linkTo(realm, { kind: "host", name })),
  },
  dependsOn: {
    name: "Depends on",
    show: ({ realm, dependsOn }) => dependsOn.map((ref) => linkTo(realm, keyOf(ref))),
  },
  labels: {
    name: "Labels",
    show: ({ labels }) =>
      Object.entries(labels)
        .sort(([a], [b]) => a.localeCompare(b))
        .map(([key, value]) => <LabelList key={key} labels={{ [key]: value }} />),
  },
};

const linkTo = (realm: string, object: ObjectKey): ReactNode => (
  <ObjectLink key={refOf(object)} realm={realm} object={object} className="list-link">
    {formatObjectName(object)}
  </ObjectLink>
);

/** Configuration of the object: check type, parents, labels. */
export function ConfigurationPanel({ item }: { item: StatusItem }) {
  const configuration = useObjectConfiguration(item.realm, item.key);
  if (configuration === undefined) return null;
  const shown = Object.values(facts).map(({ name, show }) => ({ name, value: show(configuration) }));
  return (
    <section className="card panel">
      <h2>Configuration</h2>
      <dl className="facts">
        {shown.map(
          ({ name, value }) =>
            value.length > 0 && (
              <Fact key={name} name={name}>
                {value}
              </Fact>
            ),
        )}
      </dl>
    </section>
  );
}
