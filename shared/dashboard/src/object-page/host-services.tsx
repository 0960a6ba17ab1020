import { ObjectLink } from "../objects/object-link.tsx";
import { QuietMarks } from "../objects/quiet-marks.tsx";
import "../parts/plain-table.css";
import { StatusBadge } from "../status/status-badge.tsx";
import { Ago } from "../time/time-text.tsx";
import { useHostServices } from "./use-object.ts";

export function HostServices({ realm, host }: { realm: string; host: string }) {
  const services = useHostServices(realm, host);
  if (services.length === 0) return null;
  return (
    <section className="panel">
      <h2>Services</h2>
      <table className="plain-table">
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
            <tr key={item.id} data-status={item.word}>
              <td>
                <StatusBadge word={item.word} handled={item.handled} />
              </td>
              <th scope="row">
                <ObjectLink realm={realm} object={item.key}>
                  {item.key.name}
                </ObjectLink>
              </th>
              <td className="one-line">{item.row.output}</td>
              <td className="number">
                <Ago atMs={item.sinceMs} />
              </td>
              <td>
                <span className="marks">
                  <QuietMarks item={item} />
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
