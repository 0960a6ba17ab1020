import { useIsStale } from "../../api/status/stale-rows.ts";
import { ObjectLink } from "../../components/object/object-link.tsx";
import { ObjectMarks } from "../../components/object/object-marks.tsx";
import { ItemStatus } from "../../components/status/item-status.tsx";
import { PlainTable } from "../../components/table/plain-table.tsx";
import { TimeAgo } from "../../components/time/time-text.tsx";
import { useHostServices } from "./use-object.ts";

export function ServicesPanel({ realm, host }: { realm: string; host: string }) {
  const services = useHostServices(realm, host);
  const isStale = useIsStale();
  if (services.length === 0) return null;
  return (
    <section className="card panel">
      <h2>Services</h2>
      <PlainTable
        className="line-table services-table"
        rows={services}
        keyOf={({ id }) => id}
        lookOf={(item) => ({ "data-status": item.statusName, className: isStale(item) ? "is-last-known" : "" })}
        columns={[
          { title: "State", cell: (item) => <ItemStatus item={item} /> },
          {
            ...{ title: "Service", isName: true },
            cell: ({ key }) => (
              <ObjectLink realm={realm} object={key}>
                {key.name}
              </ObjectLink>
            ),
          },
          { title: "Output", className: "one-line", cell: ({ row }) => row.output },
          { title: "Since", className: "number", cell: ({ sinceMs }) => <TimeAgo atMs={sinceMs} /> },
          {
            ...{ title: "Marks", className: "service-marks" },
            cell: (item) => (
              <span className="marks">
                <ObjectMarks item={item} />
              </span>
            ),
          },
        ]}
      />
    </section>
  );
}
