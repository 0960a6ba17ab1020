import { ObjectLink } from "../../components/object/object-link.tsx";
import { ObjectMarks } from "../../components/object/object-marks.tsx";
import "../../components/table/plain-table.css";
import { ItemStatus } from "../../components/status/item-status.tsx";
import { TimeAgo } from "../../components/time/time-text.tsx";
import { useHostServices } from "./use-object.ts";

export function ServicesPanel({ realm, host }: { realm: string; host: string }) {
  const services = useHostServices(realm, host);
  if (services.length === 0) return null;
  return (
    <section className="panel">
      <h2>Services</h2>
      <table className="plain-table services-table">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Service</th>
            <th scope="col">Output</th>
            <th scope="col">Since</th>
            <th scope="col">Marks</th>
          </tr>
        </thead>
        <tbody>
          {services.map((item) => (
            <tr key={item.id} data-status={item.statusName}>
              <td className="service-state">
                <ItemStatus item={item} />
              </td>
              <th scope="row">
                <ObjectLink realm={realm} object={item.key}>
                  {item.key.name}
                </ObjectLink>
              </th>
              <td className="one-line">{item.row.output}</td>
              <td className="number">
                <TimeAgo atMs={item.sinceMs} />
              </td>
              <td className="service-marks">
                <span className="marks">
                  <ObjectMarks item={item} />
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
