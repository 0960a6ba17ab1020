import type { ObjectRow } from "@realmwatch/proto/svc/v1/query_pb";
import { useIsStale } from "../../api/status/stale-rows.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { useWidth } from "../../components/chart/use-width.ts";
import { StatusIcon } from "../../components/status/status-icon.tsx";
import { EntryLink } from "./entry-link.tsx";
import { MapDrawing } from "./map-drawing.tsx";
import { entryNote, type MapEntry, objectEntry } from "./map-entries.ts";
import { useMembers } from "./use-members.ts";
import { type ObjectMap, useObjectMap } from "./use-object-map.ts";
import "./object-map.css";

type MapPanelProps = { item: StatusItem; configuration: ObjectRow };

/** Smallest width of the drawing, px; the list beside it has the same entries. */
const minDrawnWidth = 420;

/** Map of what an object depends on and what depends on it, as a drawing and as a list. */
export function MapPanel({ item, configuration }: MapPanelProps) {
  const neighbours = useObjectMap(item, configuration);
  const members = useMembers(item, configuration.rule);
  // The map has objects of one realm only.
  const lastKnown = useIsStale()(item);
  if (neighbours === undefined || members === undefined) return <p className="muted">Loading…</p>;
  const map: ObjectMap = { ...neighbours, above: [...neighbours.above, ...members] };
  if (map.above.length + map.below.length === 0)
    return <p className="muted">It depends on no other object, and no other object depends on it.</p>;
  return (
    <div className="object-map">
      <Drawing item={item} map={map} lastKnown={lastKnown} />
      <div className="map-lists">
        <EntryList title="Depends on" entries={map.above} lastKnown={lastKnown} />
        <EntryList title="Depends on it" entries={map.below} lastKnown={lastKnown} />
      </div>
    </div>
  );
}

function Drawing({ item, map, lastKnown }: { item: StatusItem; map: ObjectMap; lastKnown: boolean }) {
  const [place, width] = useWidth<HTMLDivElement>();
  const isCause = item.row.impact !== undefined && item.row.cause === undefined;
  const own = objectEntry(item, "this object", isCause);
  return (
    <div className="map-place" ref={place}>
      {width >= minDrawnWidth && <MapDrawing own={own} map={map} width={width} lastKnown={lastKnown} />}
    </div>
  );
}

type EntryListProps = { title: string; entries: readonly MapEntry[]; lastKnown: boolean };

function EntryList({ title, entries, lastKnown }: EntryListProps) {
  if (entries.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul>
        {entries.map((entry) => (
          <li
            key={entry.id}
            data-status={entry.status}
            className={[entry.isCause && "is-cause", lastKnown && "is-last-known"].filter(Boolean).join(" ")}
          >
            <StatusIcon status={entry.status} hollow={entry.item?.handled === true || lastKnown} />
            <EntryLink entry={entry} className="list-link">
              {entry.text}
            </EntryLink>
            <span className="muted">{entryNote(entry, lastKnown)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
